import { BoundedMap } from '../validation/caches.js';

/** The longest that a request is expected to wait for its turn, in milliseconds; beyond that it is refused. */
export const MAX_WAIT_MS = { free: 250, paid: 500 };
/** A request that has waited this long is refused: more paid requests came than expected. */
const LATE_MS = 700;
/** Of all callers together; a waiting request takes some 10 kB. */
const MAX_WAITING = 2_000;
/** Fewer requests are in work than the limit where they would take longer than this, in milliseconds. */
const TARGET_MS = 300;
/** But not fewer than this: one slow kind of request should not keep out all others. */
const MIN_LIMIT = 16;
/**
 * While there is no room, a free caller who was refused is refused again for this long, so that retrying at once wins no place.
 * The pause is longer after PATIENCE early retries; a page asks for a handful of files at once.
 */
const PAUSE_MS = 1_000;
const LONG_PAUSE_MS = 5_000;
const PATIENCE = 8;
/** Beyond so many the oldest are forgotten. */
const MAX_PAUSED = 10_000;
/** Weight of the latest request in the means. */
const MEAN_WEIGHT = 1 / 32;

export type Line = keyof typeof MAX_WAIT_MS;

/** During it a free caller is refused while there is no room. */
interface Pause {
  readonly sinceMs: number;
  /** Requests that came during it. */
  tooSoon: number;
}

interface Place<Waiting> {
  readonly caller: string;
  readonly waiting: Waiting;
  readonly sinceMs: number;
  isLeft: boolean;
}

/** Requests that wait for a turn: those of each caller in their order, and one of each caller in turn. */
export class FairLine<Waiting> {
  private readonly byCaller = new Map<string, Place<Waiting>[]>();
  /** In the order of arrival, including places that have left since. */
  private byArrival: Place<Waiting>[] = [];
  private count = 0;

  get size(): number {
    return this.count;
  }

  get callers(): number {
    return this.byCaller.size;
  }

  /** How many are served before the next request of this caller. */
  aheadOf(caller: string): number {
    const own = this.byCaller.get(caller)?.length ?? 0;
    return Math.min(this.count, (own + 1) * this.byCaller.size);
  }

  add(caller: string, waiting: Waiting, sinceMs: number): void {
    const place = { caller, waiting, sinceMs, isLeft: false };
    const own = this.byCaller.get(caller);
    if (own) own.push(place);
    else this.byCaller.set(caller, [place]);
    this.byArrival.push(place);
    this.count += 1;
  }

  next(): Waiting | undefined {
    const [first] = this.byCaller;
    if (!first) return undefined;
    const [caller, own] = first;
    const place = own.shift();
    this.byCaller.delete(caller);
    if (own.length > 0) this.byCaller.set(caller, own);
    return place && this.leave(place);
  }

  /** Takes out the requests that arrived before the given time. */
  takeOlder(sinceMs: number): Waiting[] {
    const older: Waiting[] = [];
    let seen = 0;
    for (const place of this.byArrival) {
      if (!place.isLeft && place.sinceMs >= sinceMs) break;
      seen += 1;
      if (place.isLeft) continue;
      // Those of one caller leave in their order, so it is the first of them.
      const own = this.byCaller.get(place.caller);
      own?.shift();
      if (own?.length === 0) this.byCaller.delete(place.caller);
      older.push(this.leave(place));
    }
    this.byArrival.splice(0, seen);
    return older;
  }

  private leave(place: Place<Waiting>): Waiting {
    place.isLeft = true;
    this.count -= 1;
    return place.waiting;
  }
}

/**
 * The rules of admission: so many requests are in work at once, others wait in the line of their tier, and are refused
 * where the wait would be long. It knows no request and no clock of its own, so that a simulation runs it as it is.
 */
export class Gate<Waiting> {
  readonly lines = { paid: new FairLine<Waiting>(), free: new FairLine<Waiting>() };
  /** Mean time of a request in work, and of how many there were meanwhile. */
  private meanMs = 1;
  private meanInWork = 1;
  private working = 0;
  /** Of the turns given lately, the share that went to paid requests, which go before free ones. */
  private paidShare = 0;
  /** By caller, in the order in which the pauses began. */
  private readonly paused = new BoundedMap<string, Pause>(MAX_PAUSED);

  /**
   * @param mostInWork the most requests in work
   * @param nowMs milliseconds since an arbitrary moment
   */
  constructor(
    private readonly mostInWork: number,
    private readonly nowMs: () => number,
  ) {}

  get inWork(): number {
    return this.working;
  }

  /** Of the requests that have ended lately. */
  get meanWorkMs(): number {
    return this.meanMs;
  }

  get hasRoom(): boolean {
    return this.working < this.limit;
  }

  /** The least that a request without a paid tier would have to wait; infinite where the lines are full. */
  get leastFreeWaitMs(): number {
    return this.isFull ? Infinity : this.waitOfFree(this.lines.free.callers);
  }

  /** The wait before the next request of this caller. */
  waitMs(line: Line, caller: string): number {
    if (this.isFull) return Infinity;
    const ahead = this.lines[line].aheadOf(caller);
    return line === 'paid' ? this.waitBehind(ahead) : this.waitOfFree(ahead);
  }

  /** The wait of one more if all requests beyond the limit waited, as they would if requests were refused. */
  get observedWaitMs(): number {
    return this.waitBehind(this.working - this.limit);
  }

  /** The caller was refused, here or further in. */
  pause(caller: string): void {
    if (this.leftOfPauseMs(this.paused.get(caller)) === 0) this.beginPause(caller);
  }

  /**
   * Whether a request that comes without room is refused, so that it may not even wait.
   *
   * @returns after how many milliseconds to come again; infinite where the lines are full; null if it may wait
   */
  refuse(line: Line, caller: string): number | null {
    if (line === 'free') {
      const pause = this.paused.get(caller);
      if (pause && this.leftOfPauseMs(pause) > 0) {
        pause.tooSoon += 1;
        return this.leftOfPauseMs(pause);
      }
    }
    const expectedMs = this.waitMs(line, caller);
    if (expectedMs <= MAX_WAIT_MS[line]) return null;
    if (line === 'free') this.beginPause(caller);
    return expectedMs;
  }

  wait(line: Line, caller: string, waiting: Waiting): void {
    this.lines[line].add(caller, waiting, this.nowMs());
  }

  /** @returns ends the work; call it once */
  begin(): () => void {
    this.working += 1;
    const startMs = this.nowMs();
    return () => {
      this.meanInWork += (this.working - this.meanInWork) * MEAN_WEIGHT;
      this.working -= 1;
      this.meanMs += (this.nowMs() - startMs - this.meanMs) * MEAN_WEIGHT;
    };
  }

  /** Takes out the requests that have waited longer than LATE_MS. */
  takeLate(): Waiting[] {
    const sinceMs = this.nowMs() - LATE_MS;
    return [...this.lines.paid.takeOlder(sinceMs), ...this.lines.free.takeOlder(sinceMs)];
  }

  /** Takes the next request off the lines, if there is room for it. */
  next(): Waiting | undefined {
    if (!this.hasRoom) return undefined;
    const paid = this.lines.paid.next();
    this.paidShare += (Number(paid !== undefined) - this.paidShare) * MEAN_WEIGHT;
    return paid ?? this.lines.free.next();
  }

  private beginPause(caller: string): void {
    this.paused.set(caller, { sinceMs: this.nowMs(), tooSoon: 0 });
  }

  private leftOfPauseMs(pause: Pause | undefined): number {
    if (!pause) return 0;
    const lengthMs = pause.tooSoon > PATIENCE ? LONG_PAUSE_MS : PAUSE_MS;
    return Math.max(0, pause.sinceMs + lengthMs - this.nowMs());
  }

  private get isFull(): boolean {
    return this.lines.paid.size + this.lines.free.size >= MAX_WAITING;
  }

  private get limit(): number {
    const fast = (this.meanInWork * TARGET_MS) / this.meanMs;
    return Math.min(this.mostInWork, Math.max(MIN_LIMIT, fast));
  }

  /** Paid requests that will come meanwhile go first as well. */
  private waitOfFree(ahead: number): number {
    const { size } = this.lines.paid;
    return size === 0 && ahead === 0
      ? this.waitBehind(0)
      : this.waitBehind(size + ahead) / (1 - this.paidShare);
  }

  /** By Little's law. */
  private waitBehind(ahead: number): number {
    return ((ahead + 1) * this.meanMs) / this.meanInWork;
  }
}
