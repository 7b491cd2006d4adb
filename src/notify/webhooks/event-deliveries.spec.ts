import fc from 'fast-check';
import { MATCH_MODES, SUFFIXES } from '../../domains/schema/domain.js';
import { type Subscriber, WebhookMatcher } from './event-deliveries.js';

const text = fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 1, maxLength: 5 });
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const subscriber: fc.Arbitrary<Omit<Subscriber, 'id'>> = fc.record({
  eventTypes: fc.subarray(['domain.dropped', 'domain.taken'] as const, { minLength: 1 }),
  suffixes: fc.subarray([...SUFFIXES], { maxLength: 3 }),
  q: maybe(text),
  mode: fc.constantFrom(...MATCH_MODES),
  minWayback: fc.nat(3),
  minLength: maybe(fc.integer({ min: 2, max: 6 })),
  maxLength: maybe(fc.integer({ min: 2, max: 6 })),
  afterEvent: fc.nat(3),
});

describe('WebhookMatcher', () => {
  it.each([
    ['contains', ['coffee', 'mycoffee', 'coffeecart', 'mycoffeecart']],
    ['prefix', ['coffee', 'coffeecart']],
    ['suffix', ['coffee', 'mycoffee']],
  ] as const)('finds a text as %s', (mode, found) => {
    const matcher = new WebhookMatcher([
      {
        ...{ id: '1', eventTypes: ['domain.dropped'], afterEvent: 0, suffixes: [], q: 'coffee', mode },
        ...{ minWayback: 0, minLength: null, maxLength: null },
      },
    ]);
    const names = ['coffee', 'mycoffee', 'coffeecart', 'mycoffeecart', 'cof-fee', 'coffe', 'tea'];
    const matches = (name: string) =>
      matcher.match(1, 'domain.dropped', { name, tld: 'com.au', wayback: 0, firstSeen: null });
    expect(names.filter((name) => matches(name).length === 1)).toEqual(found);
  });

  it('finds whom a look at every webhook would find, each once', () => {
    fc.assert(
      fc.property(
        fc.array(subscriber, { maxLength: 12 }),
        text,
        fc.constantFrom(...SUFFIXES),
        fc.nat(4),
        fc.nat(4),
        (filters, name, tld, wayback, number) => {
          const subscribers = filters.map((filter, place) => ({ ...filter, id: String(place) }));
          const wanted = subscribers.filter(
            ({ eventTypes, suffixes, q, mode, minWayback, minLength, maxLength, afterEvent }) =>
              number > afterEvent &&
              eventTypes.includes('domain.dropped') &&
              (suffixes.length === 0 || suffixes.includes(tld)) &&
              (q === null ||
                new RegExp({ contains: q, prefix: `^${q}`, suffix: `${q}$` }[mode]).test(name)) &&
              wayback >= minWayback &&
              (minLength === null || name.length >= minLength) &&
              (maxLength === null || name.length <= maxLength),
          );
          const found = new WebhookMatcher(subscribers).match(number, 'domain.dropped', {
            ...{ name, tld, wayback, firstSeen: null },
          });
          expect(found.map(({ id }) => id).sort()).toEqual(wanted.map(({ id }) => id).sort());
        },
      ),
      { numRuns: 500 },
    );
  });
});
