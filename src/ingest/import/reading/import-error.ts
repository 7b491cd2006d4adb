import { messageOf } from '../../../validation/unknown-values.js';

/** Why nothing was imported, in words for the operator. The dataset is as it was. */
export class ImportError extends Error {}

/** The database went away during the commit, so the names may be in or not. */
export class UncertainImportError extends Error {
  constructor(cause: unknown) {
    super(
      'The database went away during the commit, so the names may be in or not. Import them again: what is in ' +
        'stays as it is.',
      { cause },
    );
  }
}

/** The import ended early, and its first batches are in. */
export class PartialImportError extends Error {
  /** @param done rows that are in, of `total` that are to be */
  constructor(cause: unknown, done: number, total: number) {
    const [some, all] = [done, total].map((rows) => rows.toLocaleString('en-AU'));
    super(
      `${messageOf(cause)}\n${some} of ${all} rows are in. Import the same file again: it goes on there.`,
      {
        cause,
      },
    );
  }
}

/** Text of unknown origin, made fit for a terminal and a log line: short, and without control characters. */
export function printable(text: string): string {
  const clipped = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return clipped.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\ufffd]/g, '?');
}

export function quoted(text: string): string {
  return `"${printable(text)}"`;
}

const MAX_SHOWN = 60;
