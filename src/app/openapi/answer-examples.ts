import type { OpenAPIObject } from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../../config/product.js';
import { mapOperations, type Operation } from './operations.js';

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
