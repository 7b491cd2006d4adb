import type { OpenAPIObject } from '@nestjs/swagger';
import { ANSWERS } from './answers.js';
import { mapOperations, type Operation } from './operations.js';

type Content = Record<string, { readonly examples?: object }>;

/** Shows what each operation really answers: see answers.ts. */
export function withAnswerExamples(document: OpenAPIObject): OpenAPIObject {
  return mapOperations(document, (operation) => {
    const answers = ANSWERS[operation.operationId ?? ''] ?? {};
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
