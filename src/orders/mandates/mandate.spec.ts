import { ACCEPTED_TODAY } from '../order/agreements.js';
import { type Mandate, stateOfMandate, whyBeyond, whyBeyondAll, type Wish } from './mandate.js';

const NOW = new Date('2026-11-27T03:00:00Z');
const MANDATE: Mandate = {
  ...{
    id: 'm',
    accountId: 'a',
    registrantId: 'r',
    holder: Buffer.from('h'),
    orderCents: 3_000,
    monthCents: 10_000,
  },
  ...{ suffixes: ['com.au'], keyIds: ['k'], appIds: [], takesUnknown: false, spentCents: 7_600 },
  ...{ expiresAt: new Date('2026-12-27T00:00:00Z'), endedAt: null, madeAt: new Date('2026-11-01T00:00:00Z') },
  acceptance: { agreements: ACCEPTED_TODAY, at: NOW, by: 'session:s', from: null },
};
const WISH: Wish = {
  ...{ registrantId: 'r', suffix: 'com.au', totalCents: 2_400, verdict: 'eligible', holder: null },
};
const beyond = (mandate: Partial<Mandate>, wish: Partial<Wish> = {}) =>
  whyBeyond({ ...MANDATE, ...mandate }, { ...WISH, ...wish }, NOW);

it('an order within all limits, to the last cent, is within the mandate', () => {
  expect(beyond({})).toBeNull();
  expect(beyond({ orderCents: 2_400 })).toBeNull();
});

it.each<[string, Partial<Mandate>, Partial<Wish>]>([
  ['costs 2400', { orderCents: 2_399 }, {}],
  ['has 2399 cents left this month', { spentCents: 7_601 }, {}],
  ['has 0 cents left this month', { monthCents: 3_000 }, {}],
  ['does not include .au', {}, { suffix: 'au' }],
  ['another registrant', {}, { registrantId: 'other' }],
  ['have changed', {}, { holder: Buffer.from('another') }],
  ['no source says', {}, { verdict: 'unknown' }],
  ['no source says', { takesUnknown: true }, { verdict: 'not_eligible' }],
  ['has expired', { expiresAt: NOW }, {}],
  ['was ended', { endedAt: NOW }, {}],
])('%s', (why, mandate, wish) => {
  expect(beyond(mandate, wish)).toContain(why);
});

it('a new version of a text suspends a mandate until it is accepted', () => {
  const [first, ...others] = ACCEPTED_TODAY;
  const agreements = [{ ...(first as (typeof ACCEPTED_TODAY)[0]), version: '2020-01-01' }, ...others];
  const mandate = { ...MANDATE, acceptance: { ...MANDATE.acceptance, agreements } };
  expect(stateOfMandate(mandate, NOW)).toBe('suspended');
  expect(whyBeyond(mandate, WISH, NOW)).toContain('new version');
});

it('so does a text that was changed under the version it had', () => {
  const [first, ...others] = ACCEPTED_TODAY;
  const agreements = [{ ...(first as (typeof ACCEPTED_TODAY)[0]), hash: '00' }, ...others];
  const mandate = { ...MANDATE, acceptance: { ...MANDATE.acceptance, agreements } };
  expect(stateOfMandate(mandate, NOW)).toBe('suspended');
});

it('one mandate of several is enough, and without one nothing is allowed', () => {
  expect(whyBeyondAll([{ ...MANDATE, orderCents: 1 }, MANDATE], WISH, NOW)).toBeNull();
  expect(whyBeyondAll([], WISH, NOW)).toBe('no mandate names this program');
});
