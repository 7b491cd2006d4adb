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
    [['free', 'active'], null],
    [[null, 17, { status: 'reserved' }], 'registered'],
  ])('%j is %s', (statuses, state) => {
    expect(stateOfStatuses(statuses)).toBe(state);
  });
});
