import { fromJsonSchema, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Type } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import type { ApiPrefix } from '../../config/api-prefixes.js';
import { inlineSchema, withoutExamples } from './inline-schema.js';

export interface ApiDocuments {
  /** With every component, also those of no published address. */
  readonly whole: OpenAPIObject;
  /** As they are served. */
  readonly published: Readonly<Record<ApiPrefix, OpenAPIObject>>;
}

/** What the OpenAPI documents say, for tools and resources: shapes are described once, in the DTO classes. */
export class McpContract {
  constructor(private readonly documents: ApiDocuments) {}

  documentOf(prefix: ApiPrefix): OpenAPIObject {
    return this.documents.published[prefix];
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
    return inlineSchema(this.documents.whole, getSchemaPath(shape).replace(/^.*\//, ''));
  }
}
