import { parseDomainName } from '../domains/name/domain-name.js';
import { answeredRegistrability } from './answered-registrability.js';
import type { RegistryAnswer, RegistryState } from './registry-lookup.js';

const answer = (state: RegistryState): RegistryAnswer => ({
  ...{ state, source: 'rdap', checkedAt: new Date(), registeredAt: null, message: null, cached: false },
});

describe('answeredRegistrability', () => {
  it.each<[string, RegistryState, boolean | null, string | null]>([
    ['coffee.com.au', 'available', true, null],
    ['coffee.com.au', 'registered', false, null],
    ['coffee.com.au', 'pending_purge', false, null],
    ['coffee.com.au', 'declined', false, null],
    // The registry has the word where our data know nothing.
    ['coffee.com.au', 'reserved', false, 'reserved'],
    ['bank.com.au', 'available', null, 'restricted'],
    ['bank.com.au', 'registered', false, 'restricted'],
    ['bank.com.au', 'reserved', false, 'restricted'],
  ])('%s, which is %s: %s, for the reason %s', (name, state, registrable, reason) => {
    expect(answeredRegistrability(parseDomainName(name), answer(state))).toMatchObject({
      registrable,
      reason,
    });
  });
});
