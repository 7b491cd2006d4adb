import type { OpenAPIObject } from '@nestjs/swagger';
import { REQUEST_CONTENT } from '../../errors/request-body.js';
import { mapOperations, type Operation } from './operations.js';

type Extended = Operation & { readonly [REQUEST_CONTENT]?: object };

/** Puts the further types of a body beside its JSON. */
export function withRequestContent(document: OpenAPIObject): OpenAPIObject {
  return mapOperations(document, (operation: Extended) => {
    const { [REQUEST_CONTENT]: more, requestBody, ...rest } = operation;
    if (!more || !requestBody || !('content' in requestBody)) return operation;
    return { ...rest, requestBody: { ...requestBody, content: { ...requestBody.content, ...more } } };
  });
}
