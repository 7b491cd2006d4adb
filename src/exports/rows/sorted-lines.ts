/** A line that begins with its name, as snapshots and diffs have them. */
export interface NamedLine {
  readonly domain: string;
  readonly text: string;
}

const BEGINNING = '{"domain":"';

/** Lines in the order of their names, looked at one at a time. */
export class SortedLines {
  private lines: string[] = [];
  private place = 0;
  private last = '';
  private head: NamedLine | null = null;

  /** @param batches of lines; see linesOf */
  constructor(private readonly batches: AsyncGenerator<string[], void>) {}

  /** The next line, which stays the next one until it is passed; null behind the last. */
  peek(): NamedLine | null | Promise<NamedLine | null> {
    if (this.head) return this.head;
    const text = this.lines[this.place];
    if (text === undefined) return this.refill();
    this.head = { domain: this.domainOf(text), text };
    return this.head;
  }

  pass(): void {
    this.head = null;
    this.place += 1;
  }

  /** Lets go of what has not been read. */
  async end(): Promise<void> {
    await this.batches.return();
  }

  private async refill(): Promise<NamedLine | null> {
    const { done, value } = await this.batches.next();
    if (done) return null;
    this.lines = value;
    this.place = 0;
    return this.peek();
  }

  private domainOf(text: string): string {
    const end = text.indexOf('"', BEGINNING.length);
    if (!text.startsWith(BEGINNING) || end === -1) throw new Error('a line does not begin with its name');
    const domain = text.slice(BEGINNING.length, end);
    if (domain <= this.last)
      throw new Error(`${domain} stands behind ${this.last}: the lines are not sorted`);
    this.last = domain;
    return domain;
  }
}
