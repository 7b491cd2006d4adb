import { BatchSize } from './batch-size.js';

const SHORT = { namesMs: 40, datasetMs: 10 };
const LONG = { namesMs: 61, datasetMs: 26 };

function after(
  batches: number,
  locks: { knownShare: number; namesMs: number; datasetMs: number },
  from = new BatchSize(),
) {
  const { knownShare, ...times } = locks;
  for (let batch = 0; batch < batches; batch += 1) {
    // Rows behind the last name that may be changed are put back.
    const rows = Math.min(from.rows, Math.floor(from.known / Math.max(knownShare, 1e-9)));
    from.adapt({ rows, known: Math.round(rows * knownShare), ...times });
  }
  return from;
}

describe('the size of a batch', () => {
  it('grows while its locks are short', () => {
    expect(after(60, { ...SHORT, knownShare: 0 }).rows).toBe(500);
    const changing = after(60, { ...SHORT, knownShare: 1 });
    expect([changing.known, changing.rows]).toEqual([500, 500]);
  });

  it('is halved when the names were locked for long three times in a row, down to 100', () => {
    const large = after(60, { ...SHORT, knownShare: 1 });
    const long = { ...SHORT, namesMs: LONG.namesMs, knownShare: 1 };
    expect(after(2, long, large).known).toBe(500);
    expect(after(1, long, large).known).toBe(250);
    expect(after(20, long, large).known).toBe(100);
  });

  it('is halved when the row of the dataset was, down to 200', () => {
    const large = after(60, { ...SHORT, knownShare: 0 });
    const long = { ...LONG, knownShare: 0 };
    expect(after(3, long, large).rows).toBe(250);
    expect(after(20, long, large).rows).toBe(200);
  });

  it('stays large where one batch of three is long: that is the machine', () => {
    const size = after(60, { ...SHORT, knownShare: 1 });
    for (let times = 0; times < 20; times += 1) {
      after(2, { ...LONG, knownShare: 1 }, size);
      after(1, { ...SHORT, knownShare: 1 }, size);
    }
    expect(size.known).toBe(500);
  });

  it('takes no more rows than hold as many names as may be changed', () => {
    const mixed = after(60, { ...SHORT, namesMs: LONG.namesMs, knownShare: 0.5 });
    expect([mixed.known, mixed.rows]).toEqual([100, 221]);
  });

  it('stays within the limit that it is given', () => {
    expect(new BatchSize(1)).toMatchObject({ known: 1, rows: 1 });
    expect(after(60, { ...SHORT, knownShare: 0 }, new BatchSize(50)).rows).toBe(50);
  });
});
