import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { Type } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';

/** A tool: its name, what an agent reads of it, its shapes (DTO classes), and one call to a service. */
export interface Tool<Arguments extends object = object, Result extends object = object> {
  readonly name: string;
  readonly title: string;
  /** When to use it, what it costs and what it does not do. */
  readonly description: string;
  readonly arguments: Type<Arguments>;
  /** The shape of an answer, or those that it can have. */
  readonly results: readonly Type<Result>[];
  readonly annotations: ToolAnnotations;
  /** Whether it costs records: a caller who has none left is refused before the work. */
  readonly costsRecords: boolean;
  /** @throws {ApiError} told to the agent as a result that is marked as an error */
  run(given: Arguments, caller: Caller): Promise<Result>;
}

/** Honest for all of them: a call spends budget and changes nothing that belongs to anybody. */
export const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true } as const;
