// English forms of a word, by rule. What the rules make is kept only where it is a known word.

const IRREGULAR: readonly (readonly [string, string])[] = [
  ['man', 'men'],
  ['woman', 'women'],
  ['child', 'children'],
  ['person', 'people'],
  ['foot', 'feet'],
  ['tooth', 'teeth'],
  ['mouse', 'mice'],
  ['goose', 'geese'],
  ['leaf', 'leaves'],
  ['loaf', 'loaves'],
  ['knife', 'knives'],
  ['wife', 'wives'],
  ['life', 'lives'],
  ['half', 'halves'],
  ['shelf', 'shelves'],
  ['wolf', 'wolves'],
  ['calf', 'calves'],
];
const VOWELS = 'aeiou';

/** The plural of a singular, and the other way round. */
export function numbersOf(word: string): string[] {
  const forms = IRREGULAR.flatMap(([one, many]) => (word === one ? [many] : word === many ? [one] : []));
  forms.push(...pluralsOf(word));
  if (word.endsWith('ies')) forms.push(`${word.slice(0, -3)}y`);
  if (/(?:s|x|z|ch|sh|o)es$/.test(word)) forms.push(word.slice(0, -2));
  if (/[^s]s$/.test(word) && word.length > 3) forms.push(word.slice(0, -1));
  return forms;
}

function pluralsOf(word: string): string[] {
  if (/[^aeiou]y$/.test(word)) return [`${word.slice(0, -1)}ies`];
  if (/(?:s|x|z|ch|sh)$/.test(word)) return [`${word}es`];
  return word.endsWith('o') ? [`${word}s`, `${word}es`] : [`${word}s`];
}

// Each pair both ways: Australian and American.
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/our(?=$|s$|ed$|ing$|ite|ful|ist)/, 'or'],
  [/or(?=$|s$|ed$|ing$|ite|ful|ist)/, 'our'],
  [/is(?=e$|es$|ed$|ing$|er|ation)/, 'iz'],
  [/iz(?=e$|es$|ed$|ing$|er|ation)/, 'is'],
  [/tre(?=$|s$)/, 'ter'],
  [/ter(?=$|s$)/, 'tre'],
  [/ogue(?=$|s$)/, 'og'],
  [/og(?=$|s$)/, 'ogue'],
  [/ll(?=ed$|er|ing|ery)/, 'l'],
  [/l(?=ed$|er|ing|ery)/, 'll'],
  [/ence$/, 'ense'],
  [/ense$/, 'ence'],
  [/yre/, 'ire'],
  [/ire/, 'yre'],
  [/ewellery/, 'ewelry'],
  [/ewelry/, 'ewellery'],
  [/gramme/, 'gram'],
  [/grey/, 'gray'],
  [/gray/, 'grey'],
  [/aluminium/, 'aluminum'],
  [/aluminum/, 'aluminium'],
  [/mould/, 'mold'],
  [/mold/, 'mould'],
  [/plough/, 'plow'],
  [/ae/, 'e'],
];

/** The other spellings that the rules make of a word. */
export function spellingsOf(word: string): string[] {
  return SPELLINGS.flatMap(([part, other]) => (part.test(word) ? [word.replace(part, other)] : []));
}

/** Who does it, what it is called, and the like: clean, cleaner, cleaners, cleaning. */
export function relativesOf(word: string): string[] {
  const stems = stemsOf(word);
  return [...new Set(stems.flatMap((stem) => [stem, ...formsOf(stem)]))].filter((form) => form !== word);
}

function stemsOf(word: string): string[] {
  const [, stem] = /^(.{3,}?)(?:ings?|ers?|ed)$/.exec(word) ?? [];
  // No coffer has to do with coffee.
  if (word.endsWith('ee')) return [word];
  if (stem === undefined) return [word.endsWith('e') ? word.slice(0, -1) : word, word];
  const isDoubled = stem.at(-1) === stem.at(-2);
  return [stem, `${stem}e`, ...(isDoubled ? [stem.slice(0, -1)] : [])];
}

function formsOf(stem: string): string[] {
  const root = stem.endsWith('e') ? stem.slice(0, -1) : stem;
  const last = root.at(-1) ?? '';
  const doubled = !VOWELS.includes(last) && VOWELS.includes(root.at(-2) ?? '') ? [root + last] : [];
  return [root, ...doubled].flatMap((base) => [`${base}er`, `${base}ers`, `${base}ing`]);
}
