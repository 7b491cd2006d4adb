import { fromJsonSchema, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { type ApiPrefix } from '../config/product.js';
import { once } from '../validation/caches.js';
import { isObject } from '../validation/unknown-values.js';

export interface ApiDocuments {
  /** With all components, published or not. */
  readonly whole: OpenAPIObject;
  /** As they are served. */
  readonly published: Readonly<Record<ApiPrefix, OpenAPIObject>>;
}

/** The OpenAPI documents for tools and resources: shapes are described once, in the DTO classes. */
export class McpContract {
  constructor(private readonly documents: () => ApiDocuments) {}

  documentOf(prefix: ApiPrefix): OpenAPIObject {
    return this.documents().published[prefix];
  }

  /**
   * The arguments of a tool. The schema only describes; ToolSet validates with the class, so that every door gives the
   * same message.
   */
  inputOf(shape: Type<object>): StandardSchemaWithJSON {
    return described({ ...this.schemaOf(shape), additionalProperties: false }, (value) => ({ value }));
  }

  /** Required arguments of a tool. */
  requiredOf(shape: Type<object>): string[] {
    const { required } = this.schemaOf(shape);
    return Array.isArray(required) ? required.map(String) : [];
  }

  /**
   * The result of a tool: one of these shapes. The SDK validates every result; what does so is compiled for the first,
   * as that takes milliseconds, and a session lists all tools and calls few.
   */
  outputOf(shapes: readonly Type<object>[]): StandardSchemaWithJSON {
    const all = shapes.map((shape) => withoutExamples(this.schemaOf(shape)));
    const [only] = all;
    const schema = only && all.length === 1 ? only : { type: 'object', anyOf: all };
    const compiled = once(() => fromJsonSchema(schema));
    return described(schema, (value) => compiled()['~standard'].validate(value));
  }

  private schemaOf(shape: Type<object>): Record<string, unknown> {
    return inlineSchema(this.documents().whole, getSchemaPath(shape).replace(/^.*\//, ''));
  }
}

function described(
  schema: Schema,
  validate: StandardSchemaWithJSON['~standard']['validate'],
): StandardSchemaWithJSON {
  const write = () => schema;
  return {
    '~standard': { version: 1, vendor: 'mcp', jsonSchema: { input: write, output: write }, validate },
  };
}

@Module({})
export class McpContractModule {
  /** @param documents asked for once the application is made */
  static with(documents: () => ApiDocuments): DynamicModule {
    return {
      module: McpContractModule,
      global: true,
      providers: [{ provide: McpContract, useFactory: () => new McpContract(documents) }],
      exports: [McpContract],
    };
  }
}

type Schema = Record<string, unknown>;

const REF = '#/components/schemas/';
// Deeper than any of our shapes: only a recursive one reaches it, which a tool cannot describe.
const MAX_DEPTH = 10;

/**
 * A component of the OpenAPI document as a self-contained JSON Schema: references are resolved, as many clients follow
 * none, and OpenAPI's `example` becomes `examples`.
 */
export function inlineSchema(document: OpenAPIObject, name: string): Schema {
  return inline({ $ref: REF + name }, document.components?.schemas ?? {}, MAX_DEPTH);
}

/** The same without examples: agents pay for every word of a schema, and see real results. */
export function withoutExamples(schema: Schema): Schema {
  return mapSchemas(schema, (each) =>
    Object.fromEntries(Object.entries(each).filter(([word]) => word !== 'examples')),
  );
}

function inline(schema: Schema, components: object, depth: number): Schema {
  if (depth === 0) throw new Error('a schema that refers to itself cannot be written out');
  const { $ref, allOf, example, ...own } = schema;
  const base = [$ref === undefined ? {} : find($ref, components), ...soleMember(allOf)];
  const merged: Schema = [...base, own, example === undefined ? {} : { examples: [example] }].reduce<Schema>(
    (whole, part) => ({ ...whole, ...part }),
    {},
  );
  const isFinal = !('$ref' in merged) && !('allOf' in merged) && !('example' in merged);
  if (!isFinal) return inline(merged, components, depth - 1);
  return mapMembers(merged, (member) => inline(member, components, depth - 1));
}

function find(ref: unknown, components: object): Schema {
  const name = String(ref).replace(REF, '');
  const found: unknown = new Map(Object.entries(components)).get(name);
  if (!isObject(found)) throw new Error(`the OpenAPI document has no component ${name}`);
  return found;
}

// Swagger writes a reference with its own description as allOf with one member.
function soleMember(allOf: unknown): Schema[] {
  if (allOf === undefined) return [];
  if (Array.isArray(allOf) && allOf.length === 1 && isObject(allOf[0])) return [allOf[0]];
  throw new Error('allOf with several members is not written out');
}

function mapSchemas(schema: Schema, change: (schema: Schema) => Schema): Schema {
  return mapMembers(change(schema), (member) => mapSchemas(member, change));
}

/** Applies `change` to the schemas directly inside this one. */
function mapMembers(schema: Schema, change: (member: Schema) => Schema): Schema {
  const result: Schema = { ...schema };
  if (isObject(result.properties)) {
    const properties = Object.entries(result.properties);
    result.properties = Object.fromEntries(
      properties.map(([key, member]) => [key, isObject(member) ? change(member) : member]),
    );
  }
  if (isObject(result.items)) result.items = change(result.items);
  for (const word of ['anyOf', 'oneOf']) {
    const members = result[word];
    if (Array.isArray(members))
      result[word] = members.map((member: unknown) => (isObject(member) ? change(member) : member));
  }
  return result;
}
