import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './operations.js';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Exclude<Schemas[string], { $ref: string }>;

/**
 * Says the defaults of a body's fields in words: generated clients take what has a default for something that is always there, and
 * want it to be sent. (Those of parameters stay: there clients leave them out.)
 */
export function withBodyDefaultsInWords(document: OpenAPIObject): OpenAPIObject {
  const bodies = new Set(operationsOf(document.paths).flatMap(({ requestBody }) => refsOf(requestBody)));
  const schemas = Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => [
    name,
    bodies.has(`#/components/schemas/${name}`) ? inWords(schema as Schema) : schema,
  ]);
  return {
    ...document,
    components: { ...document.components, schemas: Object.fromEntries(schemas) as Schemas },
  };
}

function refsOf(requestBody: unknown): string[] {
  const { content = {} } = (requestBody ?? {}) as {
    content?: Record<string, { schema?: { $ref?: string } }>;
  };
  return Object.values(content).flatMap(({ schema }) => schema?.$ref ?? []);
}

function inWords(schema: Schema): Schema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const { default: value, ...rest } = property as {
      readonly default?: unknown;
      readonly description?: string;
    };
    if (value === undefined) return [name, property];
    return [
      name,
      { ...rest, description: `${rest.description ?? ''} Left out: \`${JSON.stringify(value)}\`.`.trim() },
    ];
  });
  return { ...schema, properties: Object.fromEntries(properties) as Schemas };
}
