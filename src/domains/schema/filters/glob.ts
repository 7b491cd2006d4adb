/**
 * What the whole label must be like: `*` stands for any characters, `?` for one; the others are a-z, 0-9 and
 * hyphen.
 */
export const GLOB = /^[a-z0-9*?-]{1,64}$/;

/** The pattern for LIKE that a glob is. */
export function likeGlob(glob: string): string {
  return glob.replaceAll('*', '%').replaceAll('?', '_');
}

/**
 * The texts between the wildcards, marked as grams are: `^` where a text must begin the label, `$` where it must
 * end it.
 */
export function markedLiterals({ glob }: { readonly glob?: string | undefined }): string[] {
  if (glob === undefined) return [];
  return `^${glob}$`.split(/[*?]+/).filter((literal) => !['', '^', '$'].includes(literal));
}

/**
 * Whether the glob matches the whole label. Goes back to the last `*` at most: a regular expression would try every
 * `*` again for every other one.
 */
export function matchesGlob(glob: string, label: string): boolean {
  let [at, starAt, from] = [0, -1, 0];
  for (let place = 0; place < label.length;) {
    const wanted = glob[at];
    if (wanted === '*') {
      [starAt, from] = [at, place];
      at += 1;
    } else if (wanted === '?' || wanted === label[place]) {
      at += 1;
      place += 1;
    } else if (starAt >= 0) {
      // That `*` takes one character more.
      from += 1;
      [at, place] = [starAt + 1, from];
    } else return false;
  }
  return /^\**$/.test(glob.slice(at));
}
