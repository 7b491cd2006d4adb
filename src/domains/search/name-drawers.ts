import type { Suffix } from '../schema/domain.js';
import type { MatchedName } from './name-match.js';

/** As much of a filter as it is filed by. */
interface Filed {
  /** Empty: all. */
  readonly suffixes: readonly Suffix[];
  readonly q?: string | null | undefined;
}

/**
 * Filters, filed so that those are found which may let a name through: such as look for a text under it, and a name is looked up by all
 * its grams of the lengths that occur. The work grows with the name and with what matches, and not with the number of filters.
 */
export class NameDrawers<Filter extends Filed> {
  /** Those that look for no text, by suffix. */
  private readonly bySuffix = new Map<string, Filter[]>();
  private readonly byText = new Map<string, Filter[]>();
  private readonly textLengths = new Set<number>();

  constructor(filters: readonly Filter[]) {
    for (const filter of filters) {
      const { q, suffixes } = filter;
      if (q != null) {
        file(this.byText, q, filter);
        this.textLengths.add(q.length);
      } else for (const suffix of suffixes.length > 0 ? suffixes : ['']) file(this.bySuffix, suffix, filter);
    }
  }

  /** Each filter once, and all that let the name through among them. */
  candidates({ name, tld }: MatchedName): Filter[] {
    const found = [...(this.bySuffix.get(tld) ?? []), ...(this.bySuffix.get('') ?? [])];
    const texts = new Set<string>();
    for (const length of this.textLengths)
      for (let at = 0; at + length <= name.length; at += 1) texts.add(name.slice(at, at + length));
    for (const text of texts) found.push(...(this.byText.get(text) ?? []));
    return found;
  }
}

function file<Filter>(drawers: Map<string, Filter[]>, label: string, filter: Filter): void {
  const drawer = drawers.get(label);
  if (drawer) drawer.push(filter);
  else drawers.set(label, [filter]);
}
