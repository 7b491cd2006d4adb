import type { OpenAPIObject } from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../config/product.js';
import { REQUEST_CONTENT } from '../errors/validation.pipe.js';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** The operations of the paths: a path holds nothing else here. */
export function operationsOf(paths: OpenAPIObject['paths']): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item as Record<string, Operation>));
}

/** The document with every operation changed. @param method of HTTP, in lower case */
export function mapOperations(
  document: OpenAPIObject,
  change: (operation: Operation, method: string, path: string) => Operation,
): OpenAPIObject {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = Object.entries(item as Record<string, Operation>);
    return [
      path,
      Object.fromEntries(operations.map(([method, operation]) => [method, change(operation, method, path)])),
    ] as const;
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

type Extended = Operation & { readonly [REQUEST_CONTENT]?: object };

/** Puts the further types of a body beside its JSON. */
export function withRequestContent(document: OpenAPIObject): OpenAPIObject {
  return mapOperations(document, (operation: Extended) => {
    const { [REQUEST_CONTENT]: more, requestBody, ...rest } = operation;
    if (!more || !requestBody || !('content' in requestBody)) return operation;
    return { ...rest, requestBody: { ...requestBody, content: { ...requestBody.content, ...more } } };
  });
}

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Exclude<Schemas[string], { $ref: string }>;

/**
 * Moves the defaults of body fields into their descriptions: generated clients treat a field with a default as
 * required. Parameters keep theirs, because clients leave them out.
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

type Content = Record<string, { readonly examples?: object }>;

type Answers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Recorded answers by operation and media type, written by test/openapi/answers.e2e-spec.ts (npm run contract). */
export const ANSWERS_FILE = join(PROJECT_FOLDER, 'assets', 'openapi-answers.json');

/** Shows a recorded answer of each operation. */
export function withAnswerExamples(document: OpenAPIObject): OpenAPIObject {
  const recorded = JSON.parse(readFileSync(ANSWERS_FILE, 'utf8')) as Answers;
  return mapOperations(document, (operation) => {
    const answers = recorded[operation.operationId ?? ''] ?? {};
    const responses = Object.entries(operation.responses).map(([status, response]) => [
      status,
      response && status.startsWith('2') ? { ...response, ...shown(response, answers) } : response,
    ]);
    return { ...operation, responses: Object.fromEntries(responses) as Operation['responses'] };
  });
}

function shown(response: object, answers: Readonly<Record<string, unknown>>): object {
  const { content } = response as { content?: Content };
  if (!content) return {};
  const types = Object.entries(content).map(([type, media]) => [
    type,
    type in answers
      ? { ...media, examples: { answer: { summary: 'An answer', value: answers[type] } } }
      : media,
  ]);
  return { content: Object.fromEntries(types) as Content };
}
