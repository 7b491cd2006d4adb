import { readConfig } from '../config/read-config.js';
import { parseDomainName } from '../domains/name/domain-name.js';
import {
  answeredRegistrability,
  lifetimeOf,
  noAnswer,
  type NoAnswer,
  type RegistryAnswer,
  type RegistryState,
  retryAfterOf,
  together,
  unavailable,
} from './answer.js';

const usual = readConfig({});

describe('lifetimeOf', () => {
  it.each<[RegistryState, string, string, number]>([
    ['registered', '12:00:00', '12:00:00', 3600],
    ['expired_hold', '12:00:00', '12:00:00', 3600],
    ['registered', '02:59:59', '02:59:59', 3600],
    ['registered', '11:00:00', '12:00:00', 0],
    ['available', '12:00:00', '12:00:00', 60],
    ['available', '11:59:50', '12:00:00', 50],
    ['available', '11:50:00', '12:00:00', -540],
    ['reserved', '12:00:00', '12:00:00', 60],
    ['declined', '12:00:00', '12:00:00', 60],
    ['pending_purge', '12:00:00', '12:00:00', 60],
    ['pending_delete', '11:59:50', '12:00:00', 50],
    ['pending_purge', '02:59:50', '02:59:50', 10],
    ['pending_delete', '02:59:50', '02:59:55', 5],
    ['pending_purge', '02:59:50', '03:00:00', 0],
    ['pending_purge', '03:00:00', '03:00:00', 60],
    ['pending_purge', '03:29:30', '03:29:30', 30],
    ['pending_purge', '23:59:30', '23:59:30', 60],
  ])('of %s said at %s is, at %s, %i s', (state, checked, now, seconds) => {
    const at = (time: string) => new Date(`2026-11-20T${time}Z`);
    expect(lifetimeOf({ state, checkedAt: at(checked) }, at(now), usual)).toBe(seconds);
  });

  it('ends with the first purge of the next day, where that is the next', () => {
    const lists = { ...usual.lists, purgeTimes: { deleted: '00:00:10', expired: '05:00:00' } };
    const checkedAt = new Date('2026-11-20T23:59:50Z');
    expect(lifetimeOf({ state: 'pending_purge', checkedAt }, checkedAt, { ...usual, lists })).toBe(20);
  });

  it('is none where the operator has nothing kept', () => {
    const config = readConfig({ REGISTRY_CACHE_REGISTERED_SECONDS: '0' });
    const checkedAt = new Date('2026-11-20T12:00:00Z');
    expect(lifetimeOf({ state: 'pending_purge', checkedAt }, checkedAt, config)).toBe(0);
  });
});

describe('together', () => {
  const paused = noAnswer('paused', 'rdap: paused', 30);
  const timeout = noAnswer('timeout', 'availability_service: timeout', 10);

  it.each(['not_trusted', 'paused', 'circuit_open', 'no_turn'] as const)(
    'does not count a service that was not asked (%s) before one that was',
    (reason) => expect(together([noAnswer(reason, 'x'), timeout]).reason).toBe('timeout'),
  );

  it.each<[string, NoAnswer[], NoAnswer['reason'], number]>([
    ['of whoever was asked', [paused, timeout], 'timeout', 10],
    ['of the first who was asked', [timeout, noAnswer('failing', 'rdap: failing')], 'timeout', 5],
    ['of the first, where nobody was', [paused, noAnswer('no_turn', 'x', 2)], 'paused', 2],
  ])('has the reason %s, and the soonest time', (_what, failures, reason, retryAfterSeconds) => {
    expect(together(failures)).toMatchObject({ answered: false, reason, retryAfterSeconds });
  });

  it('tells what became of each', () => {
    expect(together([paused, timeout]).detail).toBe('rdap: paused; availability_service: timeout');
  });

  it('without any service is that nobody was reached', () => {
    expect(together([]).reason).toBe('unreachable');
  });
});

it('who was told no time comes back after five seconds', () => {
  expect(retryAfterOf(noAnswer('timeout', 'x'))).toBe(5);
  expect(retryAfterOf(noAnswer('timeout', 'x', 0.2))).toBe(0.2);
});

describe('unavailable', () => {
  it.each([
    [12.01, 13],
    [0, 1],
    [undefined, 5],
  ])('after %s s says when to try again, in whole seconds (%i)', (retryAfter, seconds) => {
    const error = unavailable(noAnswer('timeout', 'rdap: timeout (5000 ms)', retryAfter));
    expect(error).toMatchObject({ code: 'registry_unavailable', status: 503, retryAfterSeconds: seconds });
    expect(error.message).toBe(
      `No registry answered, so the state of this name is unknown; please try again in ${seconds} s.`,
    );
  });

  it('tells the reason to the log only', () => {
    const error = unavailable(noAnswer('timeout', 'rdap: timeout (5000 ms)'));
    expect(error.cause).toMatchObject({ message: 'rdap: timeout (5000 ms)' });
    expect(error.message).not.toContain('rdap');
  });
});

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
