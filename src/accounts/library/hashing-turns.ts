import { AccountProblem } from '../account-problem.js';

/** A hash keeps a thread of the four of the process busy for 60 ms and more, and its processor: answers of the API come first. */
const AT_ONCE = 2;
const MAX_WAITING = 8;
const RETRY_AFTER_SECONDS = 2;

/**
 * Lets few passwords be hashed at a time. Who comes when the queue is full is sent away, before anybody has looked whether there is such an
 * account.
 */
export class HashingTurns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce = AT_ONCE,
    private readonly maxWaiting = MAX_WAITING,
  ) {}

  /** @throws {AccountProblem} 503 where no more can wait; for work that begins with other questions */
  assertRoom(): void {
    if (this.running >= this.atOnce && this.waiting.length >= this.maxWaiting)
      throw new AccountProblem(503, 'Too many people are signing in just now. Try again in a few seconds.', {
        'Retry-After': String(RETRY_AFTER_SECONDS),
      });
  }

  /** @throws {AccountProblem} 503 where no more can wait */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.assertRoom();
    if (this.running >= this.atOnce) await new Promise<void>((turn) => this.waiting.push(turn));
    else this.running += 1;
    try {
      return await work();
    } finally {
      // Who waits takes the place over.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
