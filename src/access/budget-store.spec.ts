import fc from 'fast-check';
import { type Tier, TIERS } from '../config/tiers.js';
import { gatherCharges, type Grant, shareOut } from './budget-store.js';

const chargeTo = (id: string, tier: Tier, records: number) => ({ caller: { id, tier }, records });
const grant = (granted: number, used: number): Grant => ({
  ...{ granted, minuteUsed: used, period: 'minute', periodUsed: used, reserved: 0 },
  now: new Date('2026-11-20T10:00:30Z'),
});

describe('charges that go together', () => {
  it('are one for each row: a caller, and the longer period of the tier', () => {
    const { demo, starter } = TIERS;
    const charges = [
      chargeTo('ip:a', demo, 1),
      chargeTo('ip:b', demo, 2),
      chargeTo('ip:a', demo, 3),
      chargeTo('ip:a', starter, 4),
    ];
    expect(gatherCharges(charges)).toEqual([
      [
        {
          ...{ caller: 'ip:a', account: null, key: null, period: 'minute', perMinute: 5, perPeriod: 5 },
          parts: [
            { place: 0, records: 1 },
            { place: 2, records: 3 },
          ],
        },
        {
          ...{ caller: 'ip:b', account: null, key: null, period: 'minute', perMinute: 5, perPeriod: 5 },
          parts: [{ place: 1, records: 2 }],
        },
        {
          ...{
            caller: 'ip:a',
            account: null,
            key: null,
            period: 'month',
            perMinute: 120,
            perPeriod: 100_000,
          },
          parts: [{ place: 3, records: 4 }],
        },
      ],
    ]);
  });

  it('wait for the statement after when the limits of their row changed in between, and keep their order', () => {
    const narrow = { ...TIERS.demo, recordsPerMinute: 2 };
    const tiers = [TIERS.demo, narrow, narrow, TIERS.demo];
    const statements = gatherCharges(tiers.map((tier) => chargeTo('ip:a', tier, 1)));
    expect(
      statements.map((rows) =>
        rows.map(({ perMinute, parts }) => [perMinute, parts.map(({ place }) => place)]),
      ),
    ).toEqual([[[5, [0]]], [[2, [1, 2]]], [[5, [3]]]]);
  });

  it('wait as well when another key of the account is charged, whose usage is counted apart', () => {
    const keyed = (id: string) => ({
      caller: { id: 'account:a', tier: TIERS.pro, key: { id, accountId: 'a', scopes: [], audience: null } },
      records: 1,
    });
    const statements = gatherCharges([keyed('k1'), keyed('k1'), keyed('k2')]);
    expect(
      statements.map((rows) => rows.map(({ account, key, parts }) => [account, key, parts.length])),
    ).toEqual([[['a', 'k1', 2]], [['a', 'k2', 1]]]);
  });
});

describe('what was granted together', () => {
  it('is shared out as if the charges had come one after the other', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
        fc.integer({ min: 0, max: 200 }),
        fc.integer({ min: 0, max: 200 }),
        (wants, left, usedBefore) => {
          const limit = usedBefore + left;
          let used = usedBefore;
          const oneByOne = wants.map((wanted, place) => {
            const granted = Math.min(wanted, limit - used);
            used += granted;
            return [place, grant(granted, used)];
          });
          const together = grant(used - usedBefore, used);
          expect(
            shareOut(
              together,
              wants.map((records, place) => ({ place, records })),
            ),
          ).toEqual(oneByOne);
        },
      ),
    );
  });
});
