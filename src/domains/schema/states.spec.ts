import {
  FREE_TO_TAKE,
  type Finding,
  findingOf,
  isPending,
  REGISTRY_STATES,
  type RegistryState,
  STATE_NAMES,
} from './states.js';

describe('what a registry says of a name', () => {
  const TABLE: Readonly<Record<RegistryState, readonly [Finding, boolean]>> = {
    available: ['free', false],
    registered: ['held', false],
    expired_hold: ['held', false],
    pending_purge: ['neither', true],
    pending_delete: ['neither', true],
    reserved: ['neither', false],
    declined: ['neither', false],
  };

  it.each(REGISTRY_STATES)('%s: whether it can be had, and whether it is on its way out', (state) => {
    expect([findingOf(state), isPending(state)]).toEqual(TABLE[state]);
  });

  it('may be nothing yet', () => {
    expect(isPending(null)).toBe(false);
  });
});

describe('whether a name is free to be registered', () => {
  it('is known of those that somebody answered for, and of those before their purge', () => {
    const namesThat = (free: boolean | null) => STATE_NAMES.filter((state) => FREE_TO_TAKE[state] === free);
    expect(namesThat(true)).toEqual(['available']);
    expect(namesThat(false)).toEqual(['listed', 'delisted', 'taken', 'rescued']);
    expect(namesThat(null)).toEqual(['unconfirmed', 'purged', 'stale']);
  });
});
