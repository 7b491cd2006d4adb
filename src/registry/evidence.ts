import { createHash } from 'node:crypto';
import { isObject } from '../validation/unknown-values.js';

/** What a service sent, without data about people: enough to judge it again. */
export interface Evidence {
  /** Of HTTP; null where there is none. */
  readonly status: number | null;
  /** Whether it came with the media type of RDAP. */
  readonly hasRdapType: boolean;
  /** With NAME in the place of the name that was asked; null where nothing can be kept. */
  readonly text: string | null;
}

/** Stands for the name that was asked, so that answers that differ in it alone are kept once. */
export const NAME = '{name}';
/** Longer texts are not kept: without holders and name servers an answer is short. */
const MAX_TEXT_LENGTH = 8_000;
const MAX_LINE_LENGTH = 200;

/** The judged members of a domain object. All others, above all its holder, are left out. */
const MEMBERS = ['objectClassName', 'ldhName', 'unicodeName', 'status', 'errorCode', 'rdapConformance'];
const SPEAKING = ['title', 'description', 'type', 'lang'];

/** @param body an RDAP response without repeated keys; null for any other, which leaves its status alone */
export function evidenceOf(
  domain: string,
  status: number,
  hasRdapType: boolean,
  body: Readonly<Record<string, unknown>> | null,
): Evidence {
  const text = body && JSON.stringify(redact(domain, status === 200, body));
  return { status, hasRdapType, text: text !== null && text.length <= MAX_TEXT_LENGTH ? text : null };
}

/** @param text of the availability service, which sends one line */
export function evidenceOfLine(domain: string, text: string): Evidence {
  return {
    status: null,
    hasRdapType: false,
    text: text.length <= MAX_LINE_LENGTH ? redactText(domain, text.trim()) : null,
  };
}

/** The same for the same answer. */
export function digestOf({ status, hasRdapType, text }: Evidence): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([status, hasRdapType, text]))
    .digest();
}

function redact(domain: string, isFound: boolean, body: Readonly<Record<string, unknown>>): object {
  const kept = Object.entries(body).flatMap(([member, value]): [string, unknown][] => {
    const isNotice = member === 'notices' || member === 'remarks';
    // Beside a domain object nothing else is read.
    if (isNotice && isFound && (member === 'remarks' || body.objectClassName === 'domain')) return [];
    if (isNotice) return [[member, redactNotices(domain, value)]];
    if (MEMBERS.includes(member) || (!isFound && SPEAKING.includes(member)))
      return [[member, redactValue(domain, value)]];
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
            SPEAKING.includes(member) ? redactValue(domain, value) : null,
          ]),
        )
      : notice === null
        ? null
        : '';
  return Array.isArray(notices) ? notices.map(redactOne) : redactOne(notices);
}

/** Texts, numbers and lists of them. An object stays an empty one: the rules read null as nothing said. */
function redactValue(domain: string, value: unknown): unknown {
  if (typeof value === 'string') return redactText(domain, value);
  if (Array.isArray(value))
    return value.map((one) => (typeof one === 'string' ? redactText(domain, one) : null));
  return isObject(value) ? {} : value;
}

/** Without e-mail addresses and long numbers. */
function redactText(domain: string, text: string): string {
  // A longer name that contains this one stays as it is.
  const name = new RegExp(`(?<![\\w.-])${domain.replaceAll('.', '\\.')}(?![\\w-])(?!\\.\\w)`, 'gi');
  const named = text.replaceAll(name, NAME);
  return named.replace(/[^\s@<>]+@[^\s@<>]+/g, '{address}').replace(/\+?\d[\d\s()-]{6,}\d/g, '{number}');
}
