import { createHash } from 'node:crypto';
import { isObject } from '../validation/unknown-values.js';
import { type Json, readShape, type TextShape } from './json-shape.js';

/**
 * `none`: the status says it all, and the body is not read; `too_large`: the body passes the limit of reading; `long`:
 * an object passes the limit of keeping; `line`: of the availability service.
 */
export type Shape = TextShape | 'none' | 'too_large' | 'long' | 'line';

/** What a service sent, without data about people. The rules judge this and nothing else, at once and in a replay. */
export interface Evidence {
  /** Of HTTP; null where there is none. */
  readonly status: number | null;
  /** Whether it came with the media type of RDAP. */
  readonly hasRdapType: boolean;
  /** Null for answers that earlier versions kept: they noted no shape. */
  readonly shape: Shape | null;
  /** Of an `object` or a `line`, with NAME in the place of the name that was asked; null for other shapes. */
  readonly text: string | null;
}

/** What came over the wire, as far as the answer depends on it. */
export interface RdapResponse {
  readonly status: number;
  readonly contentType: string | null;
  readonly retryAfter: string | null;
  /** Null when it was larger than the limit. */
  readonly body: string | null;
}

/** Statuses whose body is needed; others say all there is to say. */
export const STATUSES_WITH_BODY: readonly number[] = [200, 400, 404, 422];

/** Stands for the name that was asked, so that answers that differ in it alone are kept once. */
export const NAME = '{name}';
/** Longest text of an answer that is looked at; one more character is kept, which tells that it is longer. */
export const MAX_READ_LENGTH = 2_000;
/** Longer objects are not kept: without holders and name servers an answer is short. */
const MAX_TEXT_LENGTH = 8_000;
const MAX_LINE_LENGTH = 200;
/** Longest list of statuses that is looked at; EPP defines fewer than thirty. */
const MAX_STATUSES = 100;

/** Members that hold a text for people. */
const SPEAKING = ['title', 'description', 'type', 'lang'];
/** Judged members that hold a name, a code or a word, by what such a value looks like. */
const CODES: Readonly<Record<string, RegExp>> = {
  objectClassName: /^\w{1,40}$/,
  ldhName: /^[\p{L}\p{M}\p{N}.{}-]{1,260}$/u,
  unicodeName: /^[\p{L}\p{M}\p{N}.{}-]{1,260}$/u,
  errorCode: /^\d{1,6}$/,
  rdapConformance: /^[\w.-]{1,64}$/,
  // Values of EPP and RDAP: one word in any spelling, or words that end in a known one.
  status:
    /^(?:\w+|(?:[a-z]+[\s_-]+){1,4}(?:period|delete|hold|prohibited|active|reserved|available|registered))$/i,
};

export function evidenceOf(domain: string, { status, contentType, body }: RdapResponse): Evidence {
  const common = { status, hasRdapType: hasRdapType(contentType) };
  if (!STATUSES_WITH_BODY.includes(status)) return { ...common, shape: 'none', text: null };
  if (body === null) return { ...common, shape: 'too_large', text: null };
  const read = readShape(body);
  if (!read.body) return { ...common, shape: read.shape, text: null };
  const text = JSON.stringify(redact(domain, status === 200, read.body));
  return text.length > MAX_TEXT_LENGTH
    ? { ...common, shape: 'long', text: null }
    : { ...common, shape: read.shape, text };
}

/** @param line of the availability service, which sends one */
export function evidenceOfLine(domain: string, line: string): Evidence {
  const common = { status: null, hasRdapType: false };
  return line.length > MAX_LINE_LENGTH
    ? { ...common, shape: 'too_large', text: null }
    : { ...common, shape: 'line', text: redactText(domain, line.replaceAll('\0', ' ').trim()) };
}

/** Whether a response bears the media type of RDAP. */
function hasRdapType(contentType: string | null): boolean {
  return /^application\/rdap\+json\s*(;|$)/i.test(contentType?.trim() ?? '');
}

/** The same for the same answer that was taken for the same. */
export function digestOf(kind: readonly unknown[]): Buffer {
  return createHash('sha256').update(JSON.stringify(kind)).digest();
}

/** The judged members alone; all others, above all the holder of a name, are left out. */
function redact(domain: string, isFound: boolean, body: Json): object {
  const kept = Object.entries(body).flatMap(([member, value]): [string, unknown][] => {
    const isNotice = member === 'notices' || member === 'remarks';
    // Beside a domain object nothing else is read.
    if (isNotice && isFound && (member === 'remarks' || body.objectClassName === 'domain')) return [];
    if (isNotice) return [[member, redactNotices(domain, value)]];
    // The status of an error is read as a text.
    const hasCode = Object.hasOwn(CODES, member) && (isFound || member !== 'status');
    const code = hasCode ? CODES[member] : undefined;
    if (code) return [[member, redactCodes(domain, member === 'status' ? unlinked(value) : value, code)]];
    if (!isFound && (SPEAKING.includes(member) || member === 'status'))
      return [[member, redactTexts(domain, value)]];
    // For an error the presence of another member counts, not its content.
    return isFound ? [] : [[member, null]];
  });
  return Object.fromEntries(kept);
}

function redactNotices(domain: string, notices: unknown): unknown {
  // A text or a number in the place of a notice stays one: the rules read null as no notices.
  const redactOne = (notice: unknown) =>
    isObject(notice)
      ? Object.fromEntries(
          Object.entries(notice).map(([member, value]) => [
            member,
            SPEAKING.includes(member) ? redactTexts(domain, value) : null,
          ]),
        )
      : notice === null
        ? null
        : '';
  return Array.isArray(notices) ? notices.map(redactOne) : redactOne(notices);
}

/** Texts and lists of them. An object stays an empty one: the rules read null as nothing said. */
function redactTexts(domain: string, value: unknown): unknown {
  return mapTexts(value, (text) => redactText(domain, text.slice(0, MAX_READ_LENGTH + 1)));
}

function redactCodes(domain: string, value: unknown, code: RegExp): unknown {
  return mapTexts(value, (text) => {
    const named = withoutNameOf(domain, text.trim());
    return code.test(named) ? named : '{text}';
  });
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => (typeof one === 'string' ? change(one) : null));
  return isObject(value) ? {} : value;
}

/** "pendingDelete https://icann.org/epp#pendingDelete" is a status with a link behind it. */
function unlinked(statuses: unknown): unknown {
  const listed = Array.isArray(statuses) ? statuses.slice(0, MAX_STATUSES) : statuses;
  return mapTexts(listed, (status) => status.slice(0, 200).replace(/\shttps?:.*/s, ''));
}

/** Without the name that was asked, and without data about people. */
export function redactText(domain: string, text: string): string {
  return redactPeople(withoutNameOf(domain, text));
}

/** Without e-mail addresses, long numbers, and what follows on a word such as "Registrant:". */
export function redactPeople(text: string): string {
  return text
    .replace(/[^\s@<>]+@[^\s@<>]+/g, '{address}')
    .replace(/\+?\d[\d\s()-]{6,}\d/g, '{number}')
    .replace(LABELLED, '$1 {person}');
}

const LABELS =
  'registrant|holder|owner|licensee|contact|registrar|organi[sz]ation|eligibility|street|city|postcode|phone|fax|' +
  'e-?mail|address|ABN|ACN';
const LABELLED = new RegExp(`\\b((?:${LABELS})(?: [a-z]+){0,2} ?[:=])[^\\n;|]*\\S[^\\n;|]*`, 'gi');

/** A longer name that contains this one stays as it is. What looks like our marks does not. */
function withoutNameOf(domain: string, text: string): string {
  const marked = text.replace(/\{(name|address|number|person|text)\}/g, '{ $1 }');
  // To compile an expression takes longer than all else here.
  if (!text.toLowerCase().includes(domain.toLowerCase())) return marked;
  const name = new RegExp(`(?<![\\w.-])${domain.replaceAll('.', '\\.')}(?![\\w-])(?!\\.\\w)`, 'gi');
  return marked.replaceAll(name, NAME);
}
