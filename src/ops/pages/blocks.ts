import { ApiError } from '../../errors/api-error.js';
import { isObject } from '../../validation/unknown-values.js';
import { grouped, t } from '../../texts/texts.js';
import { momentInWords, type TimeView, timeView } from '../../web/layout/words.js';
import type { Argument, ServiceCommand } from '../command.js';
import type { OperatorServices } from '../operators.module.js';
import { argumentsOf } from '../perform.js';

// What pages of operators consist of. Templates only draw it; every value is escaped there.

/** What a page is made from. */
export interface PageRequest {
  readonly services: OperatorServices;
  readonly now: Date;
  readonly query: Readonly<Record<string, string>>;
  /** Of a page with an id in its address. */
  readonly id: string;
}

export interface Link {
  readonly words: string;
  readonly href: string;
}

export interface Cell {
  readonly words: string;
  readonly tone?: 'free' | 'wait' | 'gone' | 'unk';
  readonly href?: string;
  readonly at?: TimeView;
}

export interface Row {
  readonly cells: readonly Cell[];
  readonly links?: readonly Link[];
}

/** A field of a form, from an argument of a command. */
interface FieldView {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly kind: 'text' | 'long' | 'number' | 'date' | 'choice';
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly limits: string;
  readonly value: string;
  /** Why the value was refused. */
  readonly problem: string | null;
}

export interface FormView {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** Fixed values, which the form shows as text. */
  readonly given: readonly (readonly [name: string, value: string])[];
  readonly fields: readonly FieldView[];
  readonly takesFile: boolean;
  readonly button: string;
  readonly isDanger: boolean;
}

export interface Block {
  /** Beside the others, as a panel. */
  readonly isAside?: boolean;
  /** Rows as a list: what kind it is, what it is, and what to do. */
  readonly isList?: boolean;
  readonly heading?: string;
  readonly lead?: string;
  readonly facts?: readonly (readonly [name: string, cell: Cell])[];
  readonly heads?: readonly string[];
  readonly rows?: readonly Row[];
  /** Instead of rows, where there are none. */
  readonly empty?: string;
  /** Long texts, each behind its words. */
  readonly texts?: readonly { readonly words: string; readonly text: string }[];
  readonly form?: FormView;
  readonly links?: readonly Link[];
}

const ISO_TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g;
const ISO_TIME = new RegExp(`^${ISO_TIMES.source}$`);
/** Numbers that are names. */
const IDS = ['id', 'number', 'status', 'parser'];
const MAX_DEPTH = 3;

/** `writes_stopped` as `Writes stopped`. */
export function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The text of a program, with its times written as on other pages. */
export function timesInWords(text: string): string {
  return text.replace(ISO_TIMES, (time) => momentInWords(new Date(time)));
}

export function cellOf(value: unknown, now: Date, name = ''): Cell {
  if (value === null || value === undefined) return { words: '–' };
  if (typeof value === 'boolean') return { words: value ? 'yes' : 'no' };
  if (typeof value === 'number') return { words: IDS.includes(name) ? String(value) : grouped(value) };
  if (typeof value === 'string') {
    if (!ISO_TIME.test(value)) return { words: value };
    const at = timeView(new Date(value), now);
    return { words: at.words, at };
  }
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return { words: value.join(', ') || '–' };
  return { words: JSON.stringify(value) };
}

/** Draws the answer of any command: values as facts, lists as tables, nested objects as blocks. */
export function blocksOf(
  answer: Readonly<Record<string, unknown>>,
  now: Date,
  linksOf: (list: string, row: Readonly<Record<string, unknown>>) => readonly Link[] = () => [],
  heading = '',
): Block[] {
  const facts: [string, Cell][] = [];
  const others: Block[] = [];
  for (const [name, value] of Object.entries(answer)) {
    if (name === 'ok') continue;
    const path = heading === '' ? labelOf(name) : `${heading}: ${labelOf(name).toLowerCase()}`;
    if (isList(value)) others.push(tableOf(path, value, now, (row) => linksOf(name, row)));
    else if (isObject(value) && heading.split(': ').length < MAX_DEPTH)
      others.push(...blocksOf(value, now, linksOf, path));
    else facts.push([labelOf(name), cellOf(value, now, name)]);
  }
  return [...(facts.length > 0 ? [{ heading, facts }] : []), ...others];
}

function isList(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) && value.every(isObject);
}

function tableOf(
  heading: string,
  list: readonly Readonly<Record<string, unknown>>[],
  now: Date,
  linksOf: (row: Readonly<Record<string, unknown>>) => readonly Link[],
): Block {
  // A long text is no name of its row.
  const names = [...new Set(list.flatMap((row) => Object.keys(row)))].sort(
    (one, other) => Number(one === 'text') - Number(other === 'text'),
  );
  return {
    heading,
    heads: names.map(labelOf),
    rows: list.map((row) => ({
      cells: names.map((name) => cellOf(row[name], now, name)),
      links: linksOf(row),
    })),
    empty: t.ops.none,
  };
}

/** Values that the operator entered, and why they were refused. */
export interface Entered {
  readonly values: Readonly<Record<string, unknown>>;
  readonly failure?: ApiError;
}

/**
 * The form of a command.
 *
 * @param fixed arguments that are shown as text
 */
export function formOf(
  name: string,
  command: ServiceCommand,
  { values, failure }: Entered,
  fixed: readonly string[] = [],
): FormView {
  const all = Object.entries(argumentsOf(command));
  const isGiven = (one: string) => fixed.includes(one) && typeof values[one] === 'string';
  const isChange = command.action !== undefined;
  return {
    method: isChange ? 'post' : 'get',
    path: `/ops/${isChange ? 'do' : 'show'}/${name}`,
    given: all.filter(([one]) => isGiven(one)).map(([one]) => [one, String(values[one])]),
    fields: all
      .filter(([one]) => !isGiven(one) && !(command.takesFile && one === 'file'))
      .map(([one, argument]) => fieldOf(one, argument, values[one], failure)),
    takesFile: command.takesFile === true,
    button: isChange ? command.summary : t.ops.show,
    isDanger: /^(?:Remove|Delete|Disable|Revoke|Block)/.test(command.summary),
  };
}

/** Longer texts get several lines. */
const LONG = 500;

function fieldOf(name: string, argument: Argument, value: unknown, failure: ApiError | undefined): FieldView {
  const { description, schema, isRequired } = argument;
  const [problem] = failure?.message.split('; ').filter((one) => one.startsWith(`${name} `)) ?? [];
  const { minimum, maximum, maxLength = 0 } = schema;
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  const kind = schema.enum ? 'choice' : isNumber ? 'number' : schema.format === 'date' ? 'date' : 'text';
  const limits = isNumber
    ? `min="${Number(minimum)}" max="${Number(maximum)}" step="${schema.type === 'integer' ? 1 : 'any'}"`
    : Number(maxLength) > 0
      ? `maxlength="${Number(maxLength)}"`
      : '';
  return {
    ...{ name, label: labelOf(name), hint: description.replaceAll('`', ''), isRequired, limits },
    kind: kind === 'text' && Number(maxLength) > LONG ? 'long' : kind,
    choices: schema.enum ?? [],
    value: typeof value === 'string' ? value : String(schema.default ?? ''),
    problem: problem === undefined ? null : labelOf(`${problem}.`),
  };
}

/** A link to the form of a command. @param back the page that it returns to */
export function act(
  words: string,
  command: string,
  given: Readonly<Record<string, string>>,
  back: string,
): Link {
  return { words, href: `/ops/do/${command}?${new URLSearchParams({ ...given, back }).toString()}` };
}

export const chip = (words: string, tone: NonNullable<Cell['tone']>): Cell => ({ words, tone });
export const plain = (words: string): Cell => ({ words });

const OUTCOMES: Readonly<Record<string, Cell['tone']>> = {
  ...{ imported: 'free', unchanged: 'free', done: 'free', well: 'free' },
  ...{ alarm: 'gone', failed: 'gone', interrupted: 'gone', problem: 'gone' },
  ...{ running: 'wait', paused: 'wait', failing: 'gone', 'on time': 'free', due: 'wait' },
};
export const state = (words: string): Cell => chip(words, OUTCOMES[words] ?? 'unk');
