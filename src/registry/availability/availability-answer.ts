import { noAnswer, type Result, type Said } from '../registry-lookup.js';

/**
 * What the TCP availability service's text says: exactly one line that is not blank, read as a whole, because "Available" is part
 * of "Not Available". Some clients see dashes before the word. A name in front of it must be the one that was asked.
 *
 * @param domain the name that was asked, in lower case
 */
export function readAvailabilityAnswer(domain: string, text: string): Result<Said> {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim().toLowerCase())
    .filter(Boolean);
  const [line = ''] = lines;
  if (lines.length !== 1) return noAnswer('not_understood', `${lines.length} lines instead of one`);
  const isNamed = [' ', ':', '\t'].some((separator) => line.startsWith(domain + separator));
  const verdict = (isNamed ? line.slice(domain.length + 1) : line).replace(/^[\s-]+/, '');
  return VERDICTS.get(verdict) ?? noAnswer('not_understood', 'no verdict about the name');
}

const VERDICTS = new Map<string, Result<Said>>([
  ['available', { answered: true, state: 'available' }],
  // The service does not say why: held by somebody or, for all that is known, withheld. Registered is what it nearly always is,
  // and names known to be reserved are never asked.
  ['not available', { answered: true, state: 'registered' }],
  ['not supported', noAnswer('not_served', 'NOT SUPPORTED')],
]);
