import fc from 'fast-check';
import { explainScore, FORMULA_VERSION, longestGap, scoreCaptures } from './archive-score.js';

const captured = (day: string, status = '200') => ({ day, status });
const NOTHING = {
  version: FORMULA_VERSION,
  wayback: 0,
  captures: 0,
  days: 0,
  firstCapture: null,
  lastCapture: null,
  activeYears: 0,
  longestGapDays: null,
  daysByYear: {},
};

describe('scoreCaptures', () => {
  it('of nothing is 0, and says what is not known', () => {
    expect(scoreCaptures([])).toEqual(NOTHING);
  });

  it.each([
    ['200', 1],
    ['204', 1],
    ['301', 1],
    ['399', 1],
    ['-', 1],
    ['100', 0],
    ['404', 0],
    ['503', 0],
    ['999', 0],
  ])('a capture with status %s is worth %i', (status, wayback) => {
    expect(scoreCaptures([captured('2009-03-14', status)])).toMatchObject({ wayback, captures: 1 });
  });

  it('counts a day once, by its best capture', () => {
    const captures = [
      captured('2009-03-14', '404'),
      captured('2009-03-14'),
      captured('2009-03-14', '301'),
      captured('2009-03-15', '503'),
    ];
    expect(scoreCaptures(captures)).toMatchObject({ wayback: 1, days: 1, captures: 4, longestGapDays: null });
  });

  it('gives every component, in whatever order the captures come', () => {
    const captures = ['2012-03-01', '2009-12-31', '2010-01-01', '2012-02-28'].map((day) => captured(day));
    expect(scoreCaptures(captures)).toEqual({
      version: FORMULA_VERSION,
      wayback: 4,
      captures: 4,
      days: 4,
      firstCapture: '2009-12-31',
      lastCapture: '2012-03-01',
      activeYears: 3,
      longestGapDays: 788,
      daysByYear: { 2009: 1, 2010: 1, 2012: 2 },
    });
  });

  it('holds together for any captures', () => {
    const day = fc
      .date({ min: new Date('1996-01-01'), max: new Date('2026-11-20'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
    const capture = fc.record({ day, status: fc.constantFrom('200', '302', '-', '404', '500') });
    fc.assert(
      fc.property(fc.array(capture, { maxLength: 200 }), (captures) => {
        const score = scoreCaptures(captures);
        const years = Object.values(score.daysByYear);
        expect(years.reduce((sum, days) => sum + days, 0)).toBe(score.wayback);
        expect(years).toHaveLength(score.activeYears);
        expect(score.wayback).toBeLessThanOrEqual(score.captures);
        expect(score.longestGapDays === null).toBe(score.days < 2);
        // One more capture never makes a name less.
        expect(scoreCaptures([...captures, captured('2001-05-05')]).wayback).toBeGreaterThanOrEqual(
          score.wayback,
        );
      }),
    );
  });
});

describe('longestGap', () => {
  it('is the earliest of equally long ones', () => {
    expect(longestGap(['2010-01-01', '2010-01-11', '2010-01-12', '2010-01-22'])).toEqual({
      from: '2010-01-01',
      to: '2010-01-11',
      days: 10,
    });
  });
});

describe('explainScore', () => {
  it('gives the steps so that a person can follow them', () => {
    const captures = [
      captured('2009-03-14', '404'),
      captured('2009-03-15'),
      captured('2009-03-20', '-'),
      captured('2011-01-01', '301'),
    ];
    expect(explainScore({ captures, ignored: 1 })).toEqual([
      'Formula 1: wayback = the number of different days (UTC) on which the Wayback Machine captured the home ' +
        'page with a 2xx, a 3xx or a revisit.',
      '1. The archive answered with 5 rows, of which 1 row without a day that can be read.',
      '2. By status: revisit: 1, 200: 1, 301: 1, 404: 1.',
      '3. Captures that count (2xx, 3xx, revisits): 3; left out: 1.',
      '4. Different days among them: 3, from 2009-03-15 to 2011-01-01.',
      '5. Days in each year: 2009: 2, 2011: 1; active years: 2.',
      '6. Longest gap: 652 days, from 2009-03-20 to 2011-01-01.',
      'Score: wayback = 3',
    ]);
  });

  it('explains nothing as well', () => {
    expect(explainScore({ captures: [], ignored: 0 })).toEqual([
      expect.stringContaining('Formula 1'),
      '1. The archive answered with 0 rows.',
      '2. By status: none.',
      '3. Captures that count (2xx, 3xx, revisits): 0; left out: 0.',
      '4. Different days among them: 0.',
      '5. Days in each year: none; active years: 0.',
      '6. Longest gap: none, for want of two days.',
      'Score: wayback = 0',
    ]);
  });
});
