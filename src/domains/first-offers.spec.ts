import { queueInWords, waitInWords } from './first-offers.js';

const AT = { now: new Date('2026-11-24T02:20:00Z'), ratePerSecond: 0.5 };

const PACE = { ratePerSecond: 0.5, source: 'rdap' } as const;
const exactly = (names: number) => ({ names, how: 'exact' }) as const;

describe('what a dataset without offers waits for', () => {
  it('is how many names, and until when at the pace of the installation', () => {
    expect(waitInWords(exactly(3_600), AT)).toBe(
      'Nothing is on offer yet: 3,600 names await the registry, until 2026-11-24T04:00Z at the earliest ' +
        'at 0.5 questions a second. The newest drops are asked about first, then the best names.',
    );
    expect(waitInWords(exactly(1), AT)).toContain(': 1 name awaits the registry, until 2026-11-24T03:00Z');
  });

  it('is estimated where they are too many to be counted, and says so', () => {
    expect(waitInWords({ names: 1_230_000, how: 'estimated' }, AT)).toContain(
      'about 1,230,000 names await the registry, until 2026-12-22T14:00Z',
    );
  });

  it('says that more wait than are counted where there is no estimate', () => {
    expect(waitInWords({ names: 100_000, how: 'least' }, AT)).toContain(
      'more than 100,000 names await the registry, until 2026-11-26T10:00Z at the earliest',
    );
  });

  it('says that no name awaits the registry', () => {
    expect(waitInWords(exactly(0), AT)).toBe('Nothing is on offer yet, and no name awaits the registry.');
  });
});

describe('what an import leaves to the registry', () => {
  it('is how many names, and how long they take at least and beside re-checks', () => {
    expect(queueInWords(exactly(101_264), PACE)).toBe(
      '101,264 names await the registry: 2.3 days at 0.5 questions a second, about twice that beside re-checks.\n',
    );
    expect(queueInWords(exactly(1), PACE)).toMatch(/^1 name awaits the registry: 1 h at /);
  });

  it('says that the answers of a sandbox are made up', () => {
    expect(queueInWords(exactly(2), { ...PACE, source: 'sandbox' })).toMatch(/its answers are made up\.\n$/);
  });

  it('is no word where none waits', () => {
    expect(queueInWords(exactly(0), PACE)).toBe('');
  });
});
