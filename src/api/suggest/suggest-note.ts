import type { Discovered } from '../../domains/search/discovery.repository.js';
import type { Offer } from '../../domains/schema/domain.js';
import { withSandboxWords } from '../../domains/first-offers.js';
import type { Metered } from '../../access/rate.dto.js';

/**
 * How the names were found, by which sources they were confirmed, and when the oldest was.
 * @param advice for an empty result
 */
export function noteOn(found: Discovered<Offer>, granted: number, left: Metered, advice: string): string {
  const shown = found.domains.slice(0, granted);
  return shown.length === 0
    ? rankingOf(found, granted, left, advice)
    : `${rankingOf(found, granted, left, advice)} ${evidenceOf(shown)}`;
}

function rankingOf(
  { domains, timedOut }: Discovered<Offer>,
  granted: number,
  { quota }: Metered,
  advice: string,
): string {
  if (timedOut && domains.length === 0)
    return (
      'Nothing is known: the time was over before the first name was found. Ask again, or add a ' +
      'letter or a suffix.'
    );
  if (timedOut)
    return 'The pattern is too broad to rank in time: these are the best names found so far. Add a letter or a suffix.';
  if (granted < domains.length)
    return (
      `Limited to ${granted} by what the budget has left; ask again ` +
      `${quota?.remaining === 0 ? `at ${quota.resets_at}` : 'after rate.reset_in seconds'}.`
    );
  if (domains.length === 0) return advice;
  return 'Ranked by archive score.';
}

/**
 * What an empty result says: other parameters find nothing either where nothing is on offer.
 *
 * @param wait what a dataset with few offers waits for; null where enough are on offer
 */
export function adviceOn(wait: string | null, hint: string): string {
  return wait === null
    ? `Nothing in the dataset matches. ${hint}`
    : `${wait} Names about to drop: GET /api/v1/drops/upcoming (tool upcoming_drops).`;
}

const MAX_SOURCES = 3;

/** The sources and the oldest time of confirmation, so that a caller can repeat them to users. */
function evidenceOf(domains: readonly Offer[]): string {
  const sources = [...new Set(domains.flatMap(({ confirmedBy }) => confirmedBy ?? []))];
  const named =
    sources.slice(0, MAX_SOURCES).join(', ') + (sources.length > MAX_SOURCES ? ' and others' : '');
  const times = domains.flatMap(({ checkedAt }) => checkedAt?.getTime() ?? []);
  const oldest = new Date(Math.min(...times)).toISOString();
  const words =
    `Each was confirmed as available (by ${named}), the one longest ago at ${oldest}: check a ` +
    'name before you rely on it.';
  return withSandboxWords(words, ...sources);
}
