const LIMITS = [10, 50];
const MODES = ['contains', 'prefix', 'suffix'];
const SUFFIXES = ['com.au', 'net.au', 'org.au', 'id.au', 'asn.au', 'au'];
const FLOORS = [0, 0, 0, 1, 10, 100, 500, 1_000, 10_000];

/**
 * Draws questions that nobody chose: patterns by decade of their frequency, words, absent ones; every filter and order.
 *
 * @param labels of names, from which patterns are drawn
 * @param random numbers from 0 to 1
 */
export function drawer(labels, random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const byDecade = new Map([2, 3, 4].map((length) => [length, decadesOf(labels, length)]));
  const word = () => {
    const label = pick(labels);
    const from = Math.floor(random() * Math.max(1, label.length - 5));
    return label.slice(from, from + 5 + Math.floor(random() * 5)).replace(/^-|-$/g, '') || 'cafe';
  };
  const spelled = labels.filter((label) => label.includes('-'));
  const words = () =>
    Array.from({ length: 1 + Math.floor(random() * 2) }, () => pick(pick(spelled).split('-'))).join(' ');
  const absent = () =>
    Array.from({ length: 2 + Math.floor(random() * 4) }, () => pick([...'qzxjvkw0123456789-'])).join('');
  const pattern = () => {
    const dice = random();
    if (dice < 0.25) return word();
    if (dice < 0.35) return absent();
    return pick(pick([...byDecade.get(pick([2, 3, 4])).values()]));
  };
  const suffixes = () =>
    random() < 0.5
      ? []
      : [...new Set(Array.from({ length: 1 + Math.floor(random() * 2) }, () => pick(SUFFIXES)))];
  const ranked = () => ({
    q: pattern(),
    mode: pick(MODES),
    suffixes: suffixes(),
    minWayback: pick(FLOORS),
    limit: pick(LIMITS),
  });
  const chance = (part, make) => (random() < part ? make() : undefined);
  const span = (low, high) => {
    const from = low + Math.floor(random() * (high - low));
    return [from, from + Math.floor(random() * (high - from + 1))];
  };
  const day = (number) => new Date(Date.UTC(2026, 10, 20) - number * 86_400_000).toISOString().slice(0, 10);
  const filtered = () => {
    const [shortest, longest] = span(2, 30);
    const [least, most] = [pick(FLOORS), pick([9, 99, 500, 999, 50_000])];
    const [newest, oldest] = span(0, 700);
    return defined({
      q: chance(0.5, pattern),
      mode: pick(MODES),
      suffixes: chance(0.4, suffixes) ?? [],
      minWayback: chance(0.3, () => least) ?? 0,
      maxWayback: chance(0.2, () => Math.max(least, most)),
      minLength: chance(0.25, () => shortest),
      maxLength: chance(0.25, () => longest),
      hyphens: chance(0.3, () => pick(['allow', 'exclude', 'only'])),
      numbers: chance(0.3, () => pick(['allow', 'exclude', 'only'])),
      firstSeenFrom: chance(0.2, () => day(oldest)),
      firstSeenTo: chance(0.2, () => day(newest)),
      sort: { key: pick(['wayback', 'first_seen', 'length', 'domain']), direction: pick(['asc', 'desc']) },
      limit: 51,
    });
  };
  // What people ask for who buy names to sell them again; made-up names have no captures, so their years are not asked for.
  const further = () => {
    const others = filtered();
    const asked = pick([
      () => ({ words: words(), q: undefined }),
      () => ({
        pattern: Array.from({ length: 3 + Math.floor(random() * 6) }, () => pick([...'CCVVLN'])).join(''),
      }),
      () => ({ startsWithDigit: random() < 0.5 }),
      () => ({ dictionary: random() < 0.7 }),
      () => ({ minWords: 1 + Math.floor(random() * 4) }),
      () => ({ maxWords: 1 + Math.floor(random() * 3), dictionary: true }),
    ])();
    return defined({ ...others, ...asked });
  };
  return { ranked, filtered, further };
}

function defined(object) {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** The pieces of labels by how many have them, rounded to a power of ten. */
function decadesOf(labels, length) {
  const counts = new Map();
  for (const label of labels)
    for (let at = 0; at + length <= label.length; at += 1) {
      const piece = label.slice(at, at + length);
      counts.set(piece, (counts.get(piece) ?? 0) + 1);
    }
  const decades = new Map();
  for (const [piece, found] of counts) {
    const decade = Math.floor(Math.log10(found));
    if (!decades.has(decade)) decades.set(decade, []);
    decades.get(decade).push(piece);
  }
  return decades;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
