import { MAX_NAMES } from '../../api/check/bulk/bulk-check.dto.js';
import { namesOfCsv } from '../../api/check/bulk/name-list.js';
import { ApiError } from '../../errors/api-error.js';

/**
 * The names in what somebody pasted and sent as a file: in each one a line, the column `domain` of a CSV or its first one, or all of one
 * line.
 *
 * @throws {ApiError} bad_request for broken CSV, invalid_parameter where there are none or too many
 */
export function namesIn(...texts: readonly string[]): string[] {
  const names = texts
    .flatMap((text) => namesOfCsv(isOneLine(text) ? text.trim().replace(/[\s,;]+/g, '\n') : text))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0)
    throw new ApiError('invalid_parameter', 'There is no name in it yet. Write one a line.');
  if (names.length > MAX_NAMES)
    throw new ApiError(
      'invalid_parameter',
      `These are ${names.length} names, and ${MAX_NAMES} go at once. Take some out, and check them afterwards.`,
    );
  return names;
}

function isOneLine(text: string): boolean {
  return !text.trim().includes('\n');
}
