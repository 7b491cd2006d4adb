/** Parameters are arrays, so that a statement has one text; more in one would keep the others waiting. */
const MAX_BATCH = 200;

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Puts what meets into one statement: whatever comes while one runs waits for its end and goes together in the next. Nobody
 * waits for company, as there is no timer: what comes alone runs at once. Results come in the order of the items.
 */
export class StatementBatch<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private isRunning = false;

  /** @param runTogether the statement; gives a result for each item, in their order */
  constructor(private readonly runTogether: (items: readonly Item[]) => Promise<readonly Result[]>) {}

  run(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isRunning) void this.runWaiting();
    });
  }

  private async runWaiting(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.length > 0) await this.runBatch(this.waiting.splice(0, MAX_BATCH));
    this.isRunning = false;
  }

  private async runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.runTogether(batch.map(({ item }) => item));
      for (const [place, { resolve, reject }] of batch.entries()) {
        const result = results[place];
        if (result === undefined) reject(new Error('a batch has a result for each item'));
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
