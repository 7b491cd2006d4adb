import { generateNames } from '../../src/demo/name-generator.js';
import { sandboxAnswerOf } from '../../src/demo/sandbox-names.js';

const SEED = 20_261_122;

export interface Names {
  /** The sandbox registry calls them free, and so does the import. */
  readonly free: readonly string[];
  /** The import calls them free, and the registry calls them registered: to be found out while requests come. */
  readonly taken: readonly string[];
  readonly csv: string;
}

/**
 * Made-up names of which the registry's answer is known beforehand.
 *
 * @param changing names of which it will not stay the same
 */
export function chooseNames(freeCount: number, takenCount: number, changing: ReadonlySet<string>): Names {
  const free: string[] = [];
  const taken: string[] = [];
  const rows: string[] = [];
  for (const { domain, wayback } of generateNames((freeCount + takenCount) * 20, SEED)) {
    if (changing.has(domain)) continue;
    const answer = sandboxAnswerOf(domain);
    const list = answer === 'available' ? free : answer === 'registered' ? taken : null;
    if (!list || list.length >= (list === free ? freeCount : takenCount)) continue;
    list.push(domain);
    rows.push(`${domain},${wayback}`);
  }
  return { free, taken, csv: `domain,wayback\n${rows.join('\n')}\n` };
}
