import { fromJsonSchema, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Type } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import type { ApiPrefix } from '../../config/product.js';
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

  /** The names of the arguments that a tool cannot do without. */
  requiredOf(shape: Type<object>): string[] {
    const { required } = this.schemaOf(shape);
    return Array.isArray(required) ? required.map(String) : [];
  }

  /** The result of a tool, of one of these shapes; the SDK holds every result against it. */
  outputOf(shapes: readonly Type<object>[]): StandardSchemaWithJSON {
    const described = shapes.map((shape) => withoutExamples(this.schemaOf(shape)));
    const [only] = described;
    return fromJsonSchema(only && described.length === 1 ? only : { type: 'object', anyOf: described });
  }

  private schemaOf(shape: Type<object>): Record<string, unknown> {
    return inlineSchema(this.documents.whole, getSchemaPath(shape).replace(/^.*\//, ''));
  }
}
