import { type LookupResult, noAnswer } from '../registry-lookup.js';

/**
 * What the TCP availability service's text says. It is read line by line and as whole lines only, because "Available" is
 * part of "Not Available". Some clients see dashes before the word, so those are dropped.
 */
export function readAvailabilityAnswer(text: string): LookupResult {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/^-+/, '').trim().toLowerCase());
  const verdicts = new Set(lines.filter((line) => VERDICTS.has(line)));
  const [verdict] = verdicts;
  if (verdict === undefined || verdicts.size > 1)
    return noAnswer('not_understood', 'no single verdict in the text');
  return VERDICTS.get(verdict) ?? noAnswer('not_understood', 'no verdict');
}

const VERDICTS: ReadonlyMap<string, LookupResult> = new Map([
  ['available', { answered: true, state: 'available' }],
  // The service does not say why: held by somebody or, for all that is known, withheld. Registered is what it nearly always is,
  // and names known to be reserved are never asked.
  ['not available', { answered: true, state: 'registered' }],
  ['not supported', noAnswer('not_served', 'NOT SUPPORTED')],
]);
