import { queueInWords, waitInWords } from './first-offers.js';
import type { Unanswered } from './freshness/registry-queues.js';

const NOW = new Date('2026-11-24T02:20:00Z');
const HOUR_MS = 3_600_000;
const PACE = { source: 'rdap' } as const;

const waiting = (names: number, hours: number | null, more: Partial<Unanswered> = {}): Unanswered => ({
  ...{ names, precision: 'exact', isBacklog: true, ...more },
  endsAt: hours === null ? null : new Date(NOW.getTime() + hours * HOUR_MS),
});

describe('what a dataset without offers waits for', () => {
  it('is how many names, and about until when', () => {
    expect(waitInWords(waiting(3_600, 2))).toBe(
      'Nothing is on offer yet: 3,600 names await the registry, until about 2026-11-24T05:00Z. ' +
        'We check the newest drops first, then the best names.',
    );
    expect(waitInWords(waiting(1, 0.1))).toContain(
      ': 1 name awaits the registry, until about 2026-11-24T03:00Z',
    );
  });

  it('begins otherwise where some names are on offer', () => {
    expect(waitInWords(waiting(3_600, 2), true)).toMatch(/^Few names are on offer yet: 3,600 names await/);
  });

  it('says that it is estimated, or that more wait than are counted', () => {
    expect(waitInWords(waiting(1_230_000, 9, { precision: 'estimated' }))).toContain(
      ': about 1,230,000 names',
    );
    expect(waitInWords(waiting(100_000, 9, { precision: 'at_least' }))).toContain(
      ': more than 100,000 names',
    );
  });

  it('says that the end is not known, and that no name awaits the registry', () => {
    expect(waitInWords(waiting(9, null))).toContain(
      '9 names await the registry, and until when is not known at the moment.',
    );
    expect(waitInWords(waiting(0, null))).toBe('Nothing is on offer yet, and no name awaits the registry.');
  });
});

describe('what an import leaves to the registry', () => {
  it('is how many names, and about how long they take', () => {
    expect(queueInWords(waiting(101_264, 4.87 * 24), NOW, PACE)).toBe(
      "101,264 names await the registry: about 4.9 days beside each day's drops.\n",
    );
    expect(queueInWords(waiting(1, 0.1, { isBacklog: false }), NOW, PACE)).toBe(
      '1 name awaits the registry: about 1 h.\n',
    );
    expect(queueInWords(waiting(2, null), NOW, PACE)).toMatch(/for how long is not known at the moment\.\n$/);
  });

  it('says where answers are made up, and nothing where no name waits', () => {
    expect(queueInWords(waiting(2, 1), NOW, { source: 'sandbox' })).toMatch(/its answers are made up\.\n$/);
    expect(queueInWords(waiting(0, null), NOW, PACE)).toBe('');
  });
});
