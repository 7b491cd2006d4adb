/** Words of our own lists that belong together. */
export interface WordGroup {
  /** `same`: they mean the same; `related`: a name may have one instead of another; `place`, `none`: each by itself. */
  readonly kind: 'same' | 'related' | 'place' | 'none';
  readonly words: readonly string[];
}

/** A group a line: words apart by spaces; `#` begins a comment. */
export function readGroups(text: string, kind: WordGroup['kind']): WordGroup[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
    .map((line) => ({ kind, words: line.split(/[\s:]+/) }));
}
