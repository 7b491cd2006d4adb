import { ERROR_CODES } from './error-codes.js';

/** The error table as people read it, names of columns first; codes are marked as Markdown. */
export function errorRows(): string[][] {
  const rows = Object.entries(ERROR_CODES).map(([code, { status, meaning }]) => [
    `\`${code}\``,
    String(status),
    meaning,
  ]);
  return [['Code', 'Status', 'Meaning'], ...rows];
}
