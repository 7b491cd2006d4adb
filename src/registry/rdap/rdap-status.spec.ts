import { stateOfStatuses } from './rdap-status.js';

describe('stateOfStatuses', () => {
  it.each([
    [[], 'registered'],
    [['active'], 'registered'],
    [['server renew prohibited', 'active'], 'registered'],
    [['client hold'], 'registered'],
    [['server hold'], 'registered'],
    [['add period'], 'registered'],
    [['pending transfer'], 'registered'],
    [['a status nobody has heard of'], 'registered'],
    [['redemption period'], 'expired_hold'],
    [['redemptionPeriod', 'serverHold', 'serverUpdateProhibited'], 'expired_hold'],
    [['pending delete'], 'pending_delete'],
    [['pendingDelete'], 'pending_delete'],
    [['PENDING_DELETE'], 'pending_delete'],
    [['PENDINGDELETE'], 'pending_delete'],
    [['REDEMPTIONPERIOD'], 'expired_hold'],
    [['RedemptionPeriod', 'PENDINGDELETE'], 'pending_purge'],
    [['PENDINGDELETE', 'SERVERHOLD'], 'pending_purge'],
    [['pendingDelete https://identitydigital.au/whois-status-codes#pendingDelete'], 'pending_delete'],
    [['pending delete', 'client hold'], 'pending_delete'],
    [['pending delete', 'redemption period'], 'pending_purge'],
    [['pendingDelete', 'serverHold'], 'pending_purge'],
    [['reserved'], 'reserved'],
    [['Reserved', 'server hold'], 'reserved'],
    [['available'], null],
    [['not registered'], null],
    [['unassigned'], null],
    [['pending  -_ delete'], 'pending_delete'],
    [['pendingDelete  http://icann.org/epp#pendingDelete'], 'pending_delete'],
    [['pendingDelete https://icann.org/epp\n#pendingDelete'], 'pending_delete'],
    // A word that only begins like an address.
    [['pendingDelete httpsy'], 'registered'],
    // As many as are looked at, and one behind them.
    [[...Array<string>(99).fill('active'), 'reserved'], 'reserved'],
    [[...Array<string>(100).fill('active'), 'reserved'], 'registered'],
    [[`reserved${' '.repeat(192)}`], 'reserved'],
    // No more of a status is read than this.
    [[`reserved${' '.repeat(192)}x`], 'reserved'],
    [['free', 'active'], null],
    [[null, 17, { status: 'reserved' }], 'registered'],
  ])('%j is %s', (statuses, state) => {
    expect(stateOfStatuses(statuses)).toBe(state);
  });
});
