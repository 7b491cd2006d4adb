import fc from 'fast-check';
import { type Grant, shareOut } from './budget-store.js';

const grant = (granted: number, reserved: number): Grant => ({
  ...{ granted, minuteUsed: 7, period: 'minute', periodUsed: 7, reserved },
  now: new Date('2026-11-20T10:00:30Z'),
});

describe('what was granted together', () => {
  it('is shared out as if the charges had come one after the other', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
        fc.integer({ min: 0, max: 200 }),
        fc.integer({ min: 0, max: 200 }),
        (wants, left, before) => {
          const limit = before + left;
          let reserved = before;
          const oneByOne = wants.map((wanted) => {
            const granted = Math.min(wanted, limit - reserved);
            reserved += granted;
            return grant(granted, reserved);
          });
          expect(shareOut(grant(reserved - before, reserved), wants)).toEqual(oneByOne);
        },
      ),
    );
  });
});
