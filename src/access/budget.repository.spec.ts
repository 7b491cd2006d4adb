import { StatementBatch } from './budget.repository.js';

/** Runs when it is told to, and remembers what came together. */
function heldBatch() {
  const runs: {
    items: readonly number[];
    answer: (results: readonly number[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const batch = new StatementBatch<number, number>(
    (items) => new Promise((answer, fail) => runs.push({ items, answer, fail })),
  );
  return { batch, runs };
}
const settled = () => new Promise(setImmediate);

describe('a batch of statements', () => {
  it('runs what comes alone at once, and what comes meanwhile together afterwards', async () => {
    const { batch, runs } = heldBatch();
    const results = [1, 2, 3].map((item) => batch.run(item));
    expect(runs.map(({ items }) => items)).toEqual([[1]]);
    runs[0]?.answer([10]);
    await settled();
    expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3]]);
    runs[1]?.answer([20, 30]);
    expect(await Promise.all(results)).toEqual([10, 20, 30]);
    void batch.run(4);
    expect(runs[2]?.items).toEqual([4]);
  });

  it('fails with its statement, and those behind it run all the same', async () => {
    const { batch, runs } = heldBatch();
    const [first, second] = [batch.run(1), batch.run(2)];
    runs[0]?.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await settled();
    runs[1]?.answer([20]);
    expect(await second).toBe(20);
  });

  it('takes no more at once than a statement should hold', async () => {
    const { batch, runs } = heldBatch();
    for (let item = 0; item <= 201; item += 1) void batch.run(item);
    runs[0]?.answer([0]);
    await settled();
    expect(runs[1]?.items.length).toBe(200);
  });
});
