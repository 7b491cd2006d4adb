import { ERROR_CODES, type ErrorCode } from '../../src/errors/error-codes.js';
import type { Answer } from './http.js';

/**
 * What an answer is worth: a true result, an error that the documents name, none as the connection was closed, or something that must
 * not happen. HAProxy closes a kept connection without a word when the instance of a request is killed that may not be sent twice.
 */
export type Verdict =
  | { readonly is: 'result' }
  | { readonly is: 'closed' }
  | { readonly is: 'error'; readonly code: ErrorCode }
  | { readonly is: 'wrong'; readonly why: string };

/** @returns what is wrong with the body of a 200, or null */
export type Oracle = (body: Body) => string | null;

export type Body = Readonly<Record<string, unknown>>;

export function judge(answer: Answer, oracle: Oracle): Verdict {
  const body = parse(answer.text);
  if (!body) return wrong(`${answer.status} without a JSON object: ${answer.text.slice(0, 200)}`);
  if (answer.status === 200) {
    const why = oracle(body);
    return why === null ? { is: 'result' } : wrong(why);
  }
  return judgeError(answer, body);
}

function judgeError({ status, headers }: Answer, body: Body): Verdict {
  const { code, message } = asObject(body.error);
  if (typeof code !== 'string' || !isCode(code)) return wrong(`${status} with the code ${String(code)}`);
  if (ERROR_CODES[code].status !== status) return wrong(`${status} with ${code}`);
  if (typeof message !== 'string' || message === '') return wrong(`${code} without a message`);
  // Every request of the trial is a right one.
  if (status < 429) return wrong(`${code}: ${message}`);
  if (code === 'internal_error') return wrong(`internal_error: ${message}`);
  if (status === 429 && headers['retry-after'] === undefined) return wrong(`${code} without Retry-After`);
  return { is: 'error', code };
}

const isCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_CODES, code);

const wrong = (why: string): Verdict => ({ is: 'wrong', why });

/** @param text a JSON object, alone or as the last event of a stream, as /mcp may send it */
export function parse(text: string): Body | null {
  const data = text.startsWith('event:') ? (/^data: (.*)$/m.exec(text)?.[1] ?? '') : text;
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? (value as Body) : null;
  } catch {
    return null;
  }
}

export function asObject(value: unknown): Body {
  return typeof value === 'object' && value !== null ? (value as Body) : {};
}

export function asList(value: unknown): readonly Body[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}
