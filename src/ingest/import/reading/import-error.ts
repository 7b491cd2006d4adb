/** Why nothing was imported, in words for the operator. The dataset is as it was. */
export class ImportError extends Error {}

/** The database went away during the commit, so the names may be in or not. */
export class UncertainImportError extends Error {}

/** Text of unknown origin, made fit for a terminal and a log line: short, and without control characters. */
export function printable(text: string): string {
  const clipped = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return clipped.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\ufffd]/g, '?');
}

export function quoted(text: string): string {
  return `"${printable(text)}"`;
}

const MAX_SHOWN = 60;
