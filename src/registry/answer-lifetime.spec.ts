import { readConfig } from '../config/read-config.js';
import { lifetimeOf } from './answer-lifetime.js';
import type { RegistryState } from './registry-lookup.js';

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
