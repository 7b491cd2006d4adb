import type { WorkCursor } from '../../work/kind.js';
import { countTurns, maxSilenceSeconds, turnsPerSecond } from './turn-speed.js';

const START = Date.parse('2026-11-24T00:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1_000);
const PACE = 0.5;

/** Runs from one time to another, each of as many turns. */
function runs(
  cursor: WorkCursor | null,
  {
    from,
    to,
    every,
    asked,
    isBusy = true,
  }: Record<'from' | 'to' | 'every' | 'asked', number> & { isBusy?: boolean },
): WorkCursor {
  let count: WorkCursor = cursor ?? {};
  for (let second = from; second <= to; second += every)
    count = countTurns(count, { at: at(second), asked, isBusy });
  return count;
}

describe('the pace of the queues', () => {
  it('is measured while names wait, and less where callers take turns', () => {
    const count = runs(null, { from: 0, to: 1_800, every: 40, asked: 14 });
    expect(turnsPerSecond(count, at(1_800), PACE)).toBeCloseTo(0.35, 10);
  });

  it('counts no time in which nothing was left to ask, or the registry was away', () => {
    const busy = runs(null, { from: 0, to: 600, every: 40, asked: 14 });
    const idle = runs(busy, { from: 640, to: 1_800, every: 40, asked: 0, isBusy: false });
    expect(turnsPerSecond(idle, at(1_800), PACE)).toBeCloseTo(0.35, 10);
  });

  it('is of the last hour', () => {
    const slow = runs(null, { from: 0, to: 3_600, every: 60, asked: 6 });
    const fast = runs(slow, { from: 3_660, to: 7_200, every: 60, asked: 24 });
    const between = turnsPerSecond(
      runs(slow, { from: 3_660, to: 5_400, every: 60, asked: 24 }),
      at(5_400),
      PACE,
    );
    expect(turnsPerSecond(slow, at(3_600), PACE)).toBeCloseTo(0.1, 2);
    expect(between).toBeGreaterThan(0.2);
    expect(between).toBeLessThan(0.3);
    expect(turnsPerSecond(fast, at(7_200), PACE)).toBeCloseTo(0.4, 1);
    expect(turnsPerSecond(slow, at(4 * 3_600), PACE)).toBe(PACE);
  });

  it('is the configured one before anything is measured, and never more', () => {
    expect(turnsPerSecond(null, at(0), PACE)).toBe(PACE);
    expect(turnsPerSecond({ moved_at: at(0).toISOString() }, at(0), PACE)).toBe(PACE);
    expect(turnsPerSecond(runs(null, { from: 0, to: 40, every: 40, asked: 1 }), at(40), PACE)).toBe(PACE);
    expect(turnsPerSecond(runs(null, { from: 0, to: 600, every: 10, asked: 20 }), at(600), PACE)).toBe(PACE);
  });

  it('is not known while names wait and none is asked', () => {
    expect(turnsPerSecond(runs(null, { from: 0, to: 600, every: 60, asked: 0 }), at(600), PACE)).toBeNull();
  });

  it('survives a clock that is set back', () => {
    const count = countTurns(runs(null, { from: 600, to: 1_200, every: 60, asked: 18 }), {
      ...{ at: at(0), asked: 18, isBusy: true },
    });
    expect(turnsPerSecond(count, at(0), PACE)).toBeCloseTo(0.3, 10);
  });

  it('knows an outage by a silence that fits the pace', () => {
    expect(maxSilenceSeconds(0.5)).toBe(900);
    expect(maxSilenceSeconds(0.01)).toBe(2_000);
  });
});
