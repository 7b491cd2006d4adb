import type { Suffix } from '../domain.js';
import type { KnownName } from './filter.js';

interface Indexed {
  /** Empty: all. */
  readonly suffixes: readonly Suffix[];
  readonly q?: string | null | undefined;
}

/**
 * An index from n-grams to the filters that may match a name. A filter with a keyword lies under that, and a name
 * is looked up by all its grams of the lengths that occur. The work grows with the name and with what matches, and
 * not with the number of filters.
 */
export class FilterIndex<Entry extends Indexed> {
  /** Those without a keyword, by suffix. */
  private readonly bySuffix = new Map<string, Entry[]>();
  private readonly byKeyword = new Map<string, Entry[]>();
  private readonly keywordLengths = new Set<number>();

  constructor(filters: readonly Entry[]) {
    for (const filter of filters) {
      const { q, suffixes } = filter;
      if (q != null) {
        add(this.byKeyword, q, filter);
        this.keywordLengths.add(q.length);
      } else for (const suffix of suffixes.length > 0 ? suffixes : ['']) add(this.bySuffix, suffix, filter);
    }
  }

  /** Each filter once, and all that the name passes among them. */
  candidates({ name, tld }: Pick<KnownName, 'name' | 'tld'>): Entry[] {
    const found = [...(this.bySuffix.get(tld) ?? []), ...(this.bySuffix.get('') ?? [])];
    const grams = new Set<string>();
    for (const length of this.keywordLengths)
      for (let at = 0; at + length <= name.length; at += 1) grams.add(name.slice(at, at + length));
    for (const gram of grams) found.push(...(this.byKeyword.get(gram) ?? []));
    return found;
  }
}

function add<Entry>(entries: Map<string, Entry[]>, key: string, filter: Entry): void {
  const known = entries.get(key);
  if (known) known.push(filter);
  else entries.set(key, [filter]);
}
