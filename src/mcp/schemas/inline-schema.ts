import type { OpenAPIObject } from '@nestjs/swagger';
import { isObject } from '../../validation/unknown-values.js';

type Schema = Record<string, unknown>;

const REF = '#/components/schemas/';
// Deeper than any shape we serve; reached only by a shape that holds itself, which a tool cannot describe.
const MAX_DEPTH = 10;

/**
 * A component of the OpenAPI document as a JSON Schema that stands alone: references replaced by what they name (many
 * clients follow none), and OpenAPI's `example`, which JSON Schema does not know, as `examples`.
 */
export function inlineSchema(document: OpenAPIObject, name: string): Schema {
  return inline({ $ref: REF + name }, document.components?.schemas ?? {}, MAX_DEPTH);
}

/** The same without examples: agents see the results themselves, and pay for every word of a schema. */
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

// Swagger writes a reference that has a description of its own as allOf with one member.
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
