import fc from 'fast-check';
import { bestTier, isLater, type SubscriptionState } from './payments.repository.js';

const ENDS = [22, 28];

const stateOf = (at: number, tier: SubscriptionState['tier'], rest: Partial<SubscriptionState> = {}) => ({
  ...{ subscription: 'sub_1', eventId: 'evt_1', happenedAt: new Date(at * 1_000), isEnded: false, tier },
  ...rest,
});

describe('isLater', () => {
  it.each([
    ['a later event', stateOf(2, null), stateOf(1, 'pro')],
    ['an end, at whatever time', stateOf(1, null, { isEnded: true }), stateOf(2, 'pro')],
    ['a paying state of the same second', stateOf(1, 'starter'), stateOf(1, null)],
    ['the better tier of the same second', stateOf(1, 'pro'), stateOf(1, 'starter')],
    ['the greater id of equal states', stateOf(1, 'pro', { eventId: 'evt_2' }), stateOf(1, 'pro')],
  ])('%s replaces the other', (_, later, earlier) => {
    expect([isLater(later, earlier), isLater(earlier, later)]).toEqual([true, false]);
  });

  it('never replaces a state with itself', () => {
    expect(isLater(stateOf(1, 'pro'), stateOf(1, 'pro'))).toBe(false);
  });
});

it('thirty events, some doubled, give the same tiers in 1,000 random orders', () => {
  const tiers = [null, 'starter', 'pro', 'firehose'] as const;
  const events = Array.from({ length: 30 }, (_, place) =>
    // Five subscriptions, six events each, two to a second; the third and fourth of them end.
    stateOf(Math.floor(place / 10), ENDS.includes(place) ? null : (tiers[(place * 7) % 4] ?? null), {
      subscription: `sub_${place % 5}`,
      eventId: `evt_${place}`,
      isEnded: ENDS.includes(place),
    }),
  );
  const outcomeOf = (order: readonly SubscriptionState[]) => {
    const states = new Map<string, SubscriptionState>();
    for (const event of order) {
      const known = states.get(event.subscription);
      if (!known || isLater(event, known)) states.set(event.subscription, event);
    }
    return {
      best: bestTier(states.values()),
      last: [...states.values()].map(({ eventId }) => eventId).sort(),
    };
  };
  const expected = outcomeOf(events);
  const anyOrder = fc.shuffledSubarray([...events, ...events.slice(0, 10)], { minLength: 40 });
  fc.assert(
    fc.property(anyOrder, (order) => expect(outcomeOf(order)).toEqual(expected)),
    { numRuns: 1_000 },
  );
});
