import { queueInWords, waitInWords } from './first-offers.js';

const AT = { now: new Date('2026-11-24T02:20:00Z'), ratePerSecond: 0.5 };

describe('what a dataset without offers waits for', () => {
  it('is how many names, and until when at the pace of the installation', () => {
    expect(waitInWords(3_600, true, AT)).toBe(
      'Nothing is on offer yet: 3,600 names await the registry, until 2026-11-24T04:00Z at the earliest ' +
        'at 0.5 questions a second. The newest drops are asked about first, then the best names.',
    );
    expect(waitInWords(1, true, AT)).toContain(': 1 name awaits the registry, until 2026-11-24T03:00Z');
  });

  it('says that more wait than are counted', () => {
    expect(waitInWords(100_000, false, AT)).toContain(
      'more than 100,000 names await the registry, until 2026-11-26T10:00Z at the earliest',
    );
  });

  it('says that no name awaits the registry', () => {
    expect(waitInWords(0, true, AT)).toBe('Nothing is on offer yet, and no name awaits the registry.');
  });
});

describe('what an import leaves to the registry', () => {
  it('is how many names, and how long they take at least and beside re-checks', () => {
    expect(queueInWords(101_264, true, 0.5)).toBe(
      '101,264 names await the registry: 2.3 days at 0.5 questions a second, about twice that beside re-checks.\n',
    );
    expect(queueInWords(1, true, 0.5)).toMatch(/^1 name awaits the registry: 1 h at /);
  });

  it('is no word where none waits', () => {
    expect(queueInWords(0, true, 0.5)).toBe('');
  });
});
