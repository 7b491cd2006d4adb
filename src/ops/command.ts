import type { Readable } from 'node:stream';
import type { ErrorCode } from '../errors/error-codes.js';
import { timeOfDatabase } from '../db/database-time.js';
import { DAY_WORDS, dayOfWord, isCalendarDate } from '../domains/schema/calendar-date.js';
import type { AnswerName, AnswerOf, OperatorCommand } from './answers.js';
import type { OperatorServices } from './operators.module.js';

/** It was not done; the message says why. */
export const EXIT_FAILED = 1;
/** Something failed after it was done, or the outcome is not known; the message says which. */
export const EXIT_AFTERWARDS = 2;
/** Ended by Control-C, as shells count it. */
export const EXIT_INTERRUPTED = 130;

/** What an argument looks like in OpenAPI; the command line takes choices and default from it. */
interface Schema {
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  readonly enum?: readonly string[];
  readonly default?: string | number;
  readonly [keyword: string]: unknown;
}

interface CommandLine<Value> {
  readonly name?: string;
  readonly default?: Value;
  read?(text: string): Value | undefined;
}

/** An argument of a command. A required one is a word of the command line, an optional one a flag. */
export interface Argument<Value = unknown> {
  readonly description: string;
  readonly schema: Schema;
  /** Ends the sentence that begins with the argument's name. */
  readonly rule: string;
  readonly isRequired: boolean;
  /** On the command line, where that differs. */
  readonly commandLine?: CommandLine<Value>;
  /** @returns undefined when the value breaks the rule */
  read(value: unknown): Value | undefined;
}

export type Arguments = Readonly<Record<string, Argument>>;
export type ValuesOf<Given> = {
  readonly [Name in keyof Given]: Given[Name] extends Argument<infer Value> ? Value : never;
};

type Route = `${'GET' | 'POST'} ${string}`;

interface Described<Given> {
  readonly summary: string;
  readonly description?: string;
  readonly arguments?: Given;
  /** Why it is at one door only, the command line or /ops/v1. */
  readonly only?: string;
}

/** CSV, or, of a long file, a stream of it. */
export type CsvText = string | Readable;

interface Served<Given> extends Described<Given> {
  /** Beside the failures that every command has. */
  readonly failures?: readonly ErrorCode[];
  /** The body of the request is a file; the arguments are in the query. */
  readonly takesFile?: boolean;
  /** Below which path of /ops/v1 what it made can be read, by its id. */
  readonly makes?: string;
}

/** A command that a service runs, from the command line and from /ops/v1. */
export interface ServiceCommand extends Served<Arguments> {
  /** Without `bowerbird`, such as `jobs pause`; null: not on the command line. */
  readonly words: string | null;
  /** Below /ops/v1, such as `POST jobs/:name/pause`. */
  readonly route: Route;
  readonly answer?: AnswerName;
  /** Instead of an answer, the name of a CSV file. */
  readonly file?: string;
  /** Its name in the audit log. A command that has one changes something, and needs a reason. */
  readonly action?: string;
  run(
    services: OperatorServices,
    values: Values,
    command?: OperatorCommand,
    body?: Readable,
  ): Promise<unknown> | object;
  /** The answer on the command line; YAML without it. */
  print?(answer: unknown, values: Values): string;
}

type Values = Readonly<Record<string, unknown>>;

/** A command of the command line alone: it prints by itself, and sets the exit code. */
export interface LocalCommand extends Described<Arguments> {
  readonly words: string;
  readonly only: string;
  /** What follows the flags in its help. */
  readonly help?: string;
  /** It has a new name; the former one works until the day, with a warning. */
  readonly replaced?: { readonly by: string; readonly until: string };
  runHere(values: Values, runWorker: RunWorker): Promise<void>;
}

/** Starts the worker, which has parts of every room. */
export type RunWorker = () => Promise<void>;

export type CommandEntry = ServiceCommand | LocalCommand;

/** A command that shows something. */
export function look<const Given extends Arguments, Name extends AnswerName>(
  words: string,
  route: Route,
  answer: Name,
  entry: Served<Given> & {
    run(services: OperatorServices, values: ValuesOf<Given>): Promise<AnswerOf<Name>> | AnswerOf<Name>;
    print?(answer: AnswerOf<Name>, values: ValuesOf<Given>): string;
  },
): ServiceCommand {
  return { ...entry, words, route, answer };
}

/** A command that gives a CSV file. */
export function csv<const Given extends Arguments>(
  words: string,
  route: Route,
  file: string,
  entry: Served<Given> & { run(services: OperatorServices, values: ValuesOf<Given>): Promise<CsvText> },
): ServiceCommand {
  return { ...entry, words, route, file };
}

/** A command that changes something. */
export function change<const Given extends Arguments, Name extends AnswerName>(
  words: string | null,
  route: Route,
  action: string,
  answer: Name,
  entry: Served<Given> & {
    run(
      services: OperatorServices,
      values: ValuesOf<Given>,
      command: OperatorCommand,
      body: Readable,
    ): Promise<AnswerOf<Name>>;
    print?(answer: AnswerOf<Name>, values: ValuesOf<Given>): string;
  },
): ServiceCommand {
  return { ...entry, words, route, action, answer };
}

export function local<const Given extends Arguments>(
  entry: Omit<LocalCommand, 'arguments' | 'runHere'> & {
    readonly arguments?: Given;
    runHere(values: ValuesOf<Given>, runWorker: RunWorker): Promise<void>;
  },
): LocalCommand {
  return entry;
}

export function optional<Value>(argument: Argument<Value>): Argument<Value | undefined> {
  return { ...argument, isRequired: false };
}

export function withDefault<Value extends string | number>(
  argument: Argument<Value>,
  value: Value,
): Argument<Value> {
  return { ...argument, isRequired: false, schema: { ...argument.schema, default: value } };
}

/** Under another name, or with another default, on the command line. */
export function onCommandLine<Value>(
  argument: Argument<Value>,
  commandLine: CommandLine<Value>,
): Argument<Value> {
  return { ...argument, commandLine };
}

interface TextBounds {
  readonly rule: string;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
  readonly format?: string;
  readonly example?: string;
}

export function text(
  description: string,
  { rule, maxLength = 300, pattern, format, example }: TextBounds,
): Argument<string> {
  const more = { ...(pattern && { pattern: pattern.source }), ...(format && { format }), example };
  return {
    ...{ description, rule, isRequired: true },
    schema: { type: 'string', minLength: 1, maxLength, ...more },
    read(value) {
      if (typeof value !== 'string' || value.trim() === '' || value.length > maxLength) return undefined;
      return pattern === undefined || pattern.test(value) ? value : undefined;
    },
  };
}

export function choice<const Value extends string>(
  description: string,
  values: readonly Value[],
): Argument<Value> {
  return {
    ...{ description, rule: `must be one of ${values.join(', ')}`, isRequired: true },
    schema: { type: 'string', enum: values },
    read: (value) => values.find((one) => one === value),
  };
}

export const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** @param what such as `a key` */
export function id(description: string, what: string): Argument<string> {
  return text(description, { rule: `must be the id of ${what}`, pattern: UUID, format: 'uuid' });
}

export function number(
  description: string,
  { minimum, maximum, whole = true }: { minimum: number; maximum: number; whole?: boolean },
): Argument<number> {
  const type = whole ? 'integer' : 'number';
  const spelling = whole ? /^\d{1,15}$/ : /^\d{1,15}(\.\d{1,15})?$/;
  return {
    ...{ description, isRequired: true, schema: { type, minimum, maximum } },
    rule: `must be ${whole ? 'an integer' : 'a number'} from ${minimum} to ${maximum}`,
    read(value) {
      // A body of JSON has numbers, forms and queries have texts.
      const given = typeof value === 'number' ? String(value) : value;
      if (typeof given !== 'string' || !spelling.test(given)) return undefined;
      return Number(given) >= minimum && Number(given) <= maximum ? Number(given) : undefined;
    },
  };
}

/** @param zone whose day today is */
export function day(description: string, example: string, zone: 'AEST' | 'UTC' = 'UTC'): Argument<string> {
  const schema = { type: 'string', format: 'date', example } as const;
  const rule = `must be a day, YYYY-MM-DD, or one of ${DAY_WORDS} (${zone})`;
  return {
    ...{ description, rule, isRequired: true, schema },
    read: (value) =>
      typeof value === 'string' && isCalendarDate(value)
        ? value
        : (dayOfWord(value, zone, timeOfDatabase()) ?? undefined),
  };
}

const MOMENT = /^(19[7-9]|[2-9]\d\d)[\d-]{7}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** A time with its offset, or a day, whose first moment of UTC it is. */
export function moment(description: string, example: string): Argument<Date> {
  return {
    ...{ description, isRequired: true, schema: { type: 'string', format: 'date-time', example } },
    rule: 'must be a day, YYYY-MM-DD, or a time with its offset, such as 2026-11-20T04:00:00Z',
    read(value) {
      // In a query, a plus sign that is not percent-encoded arrives as a space.
      const time = typeof value === 'string' ? value.replace(/ (?=\d\d:\d\d$)/, '+') : '';
      const [date = ''] = time.split('T');
      const isTime = MOMENT.test(time) && isCalendarDate(date) && !Number.isNaN(Date.parse(time));
      return isTime ? new Date(time) : undefined;
    },
  };
}

/** A flag without a value, for commands of the command line alone. */
export function flag(description: string): Argument<true | undefined> {
  return {
    ...{ description, rule: 'takes no value', isRequired: false, schema: { type: 'boolean' } },
    read: (value) => (value === true ? value : undefined),
  };
}

const MAX_REASON_LENGTH = 500;

const WHY = text('Why, for the audit log.', {
  rule: `must be 1 to ${MAX_REASON_LENGTH} characters`,
  maxLength: MAX_REASON_LENGTH,
  example: 'asked for by its owner, ticket 4711',
});

const MAIL_ADDRESS = /[^\s<>()"',;:@]+@[^\s<>()"',;:@]+\.[^\s<>()"',;:@]*[a-z\d]/gi;

/**
 * What every command that changes something needs. The audit log outlives accounts, so that mail addresses are left
 * out of it; the entry's subject names the account by its id.
 */
export const REASON: Argument<string> = {
  ...WHY,
  read: (value) => WHY.read(value)?.replace(MAIL_ADDRESS, '[mail address]'),
};

export const BY = text('who, for the audit log; without it, the user of this process', {
  rule: 'must be 1 to 100 characters',
  maxLength: 100,
});

/** Renamed on 23 November 2026; the former words work for 90 days. */
export const UNTIL = '2027-02-21';
