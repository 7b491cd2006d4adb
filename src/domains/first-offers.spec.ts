import { waitInWords } from './first-offers.js';

const AT = { now: new Date('2026-11-24T02:20:00Z'), ratePerSecond: 0.5 };

describe('what a dataset without offers waits for', () => {
  it('is how many names, and until when at the pace of the installation', () => {
    expect(waitInWords(3_600, true, AT)).toBe(
      'Nothing is on offer yet: 3,600 names await the registry, until 2026-11-24T04:00Z or so ' +
        'at 0.5 questions a second. The best names are asked about first.',
    );
    expect(waitInWords(1, true, AT)).toContain(': 1 name awaits the registry, until 2026-11-24T03:00Z or so');
  });

  it('says that more wait than are counted, and that the end is the earliest then', () => {
    expect(waitInWords(100_000, false, AT)).toContain(
      'more than 100,000 names await the registry, until 2026-11-26T10:00Z at the earliest',
    );
  });

  it('says that no name awaits the registry', () => {
    expect(waitInWords(0, true, AT)).toBe('Nothing is on offer yet, and no name awaits the registry.');
  });
});
