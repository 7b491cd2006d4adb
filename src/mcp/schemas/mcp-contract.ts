import { fromJsonSchema, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { Injectable, type Type } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import type { ApiPrefix } from '../../config/api-prefixes.js';
import { inlineSchema, withoutExamples } from './inline-schema.js';

/**
 * What the OpenAPI documents say, for tools and resources: shapes are described once, in the DTO classes. The documents
 * are made from the finished application, so they are handed over when it is set up and not injected.
 */
@Injectable()
export class McpContract {
  private whole: OpenAPIObject | undefined;
  private published: Readonly<Record<ApiPrefix, OpenAPIObject>> | undefined;

  /**
   * @param whole with every component, also those of no published address
   * @param published the documents as they are served
   */
  setDocuments(whole: OpenAPIObject, published: Readonly<Record<ApiPrefix, OpenAPIObject>>): void {
    this.whole = whole;
    this.published = published;
  }

  documentOf(prefix: ApiPrefix): OpenAPIObject {
    return given(this.published?.[prefix]);
  }

  /**
   * The arguments of a tool. The schema only describes: the class itself judges (ToolSet), so that the same mistake is
   * told in the same words at every door.
   */
  inputOf(shape: Type<object>): StandardSchemaWithJSON {
    const schema = fromJsonSchema({ ...this.schemaOf(shape), additionalProperties: false });
    return { '~standard': { ...schema['~standard'], validate: (value) => ({ value }) } };
  }

  /** The result of a tool; the SDK holds every result against it. */
  outputOf(shape: Type<object>): StandardSchemaWithJSON {
    return fromJsonSchema(withoutExamples(this.schemaOf(shape)));
  }

  private schemaOf(shape: Type<object>): Record<string, unknown> {
    return inlineSchema(given(this.whole), getSchemaPath(shape).replace(/^.*\//, ''));
  }
}

function given(document: OpenAPIObject | undefined): OpenAPIObject {
  if (!document) throw new Error('the OpenAPI documents have not been handed over yet');
  return document;
}
