const WORDS: Readonly<Record<string, (value: string, mode: string) => string>> = {
  q: (value, mode) => `${MODES[mode] ?? MODES.contains} “${value}”`,
  tld: (value) =>
    value
      .split(',')
      .map((tld) => `.${tld}`)
      .join(' or '),
  min_length: (value) => `${value} letters and more`,
  max_length: (value) => `up to ${value} letters`,
  hyphens: (value) => (value === 'only' ? 'with a hyphen' : 'no hyphens'),
  numbers: (value) => (value === 'only' ? 'with a digit' : 'no digits'),
  min_wayback: (value) => `score ${value} and more`,
  max_wayback: (value) => `score up to ${value}`,
  first_seen_from: (value) => `first seen from ${value}`,
  first_seen_to: (value) => `first seen until ${value}`,
  state: (value) => STATES[value] ?? value,
};
const MODES: Readonly<Record<string, string>> = {
  contains: 'with',
  prefix: 'beginning with',
  suffix: 'ending in',
};
const STATES: Readonly<Record<string, string>> = {
  listed: 'about to be purged',
  purged: 'dropped and not confirmed yet',
  taken: 'registered again',
  rescued: 'kept by their holders',
};

/** A search as people say it: `with “cafe”, .com.au, up to 8 letters`. */
export function questionInWords(question: string): string {
  const fields = new URLSearchParams(question);
  const mode = fields.get('mode') ?? 'contains';
  return [...fields].flatMap(([field, value]) => WORDS[field]?.(value, mode) ?? []).join(', ');
}
