import type { OpenAPIObject } from '@nestjs/swagger';
import { isObject } from '../../../validation/unknown-values.js';
import { mapOperations } from '../operations.js';

/** What is filled in although it may be left out: without it there is nothing to see. */
const FILLED_IN = ['q'];

/**
 * The document as Swagger UI shows it: it fills in every example and every default, and what somebody tries would then be narrowed by
 * all of them at once. Defaults are told in words instead.
 */
export function forTrying(document: OpenAPIObject): OpenAPIObject {
  return mapOperations(document, ({ parameters = [], ...operation }) => ({
    ...operation,
    parameters: parameters.map((parameter) =>
      '$ref' in parameter || parameter.required || FILLED_IN.includes(parameter.name)
        ? parameter
        : { ...parameter, ...leftEmpty(parameter) },
    ),
  }));
}

function leftEmpty({ schema, description = '' }: { schema?: object; description?: string }): object {
  if (!isObject(schema)) return {};
  const { default: value } = schema;
  const words = value === undefined ? '' : ` Left out: \`${JSON.stringify(value)}\`.`;
  const rest = Object.entries(schema).filter(([name]) => name !== 'example' && name !== 'default');
  return { schema: Object.fromEntries(rest), description: description + words };
}
