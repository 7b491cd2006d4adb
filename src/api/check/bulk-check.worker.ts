import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { EventEmitter, once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../access/caller.js';
import { RecordBudget } from '../../access/record-budget.js';
import { Tiers } from '../../config/tiers.js';
import { Config } from '../../config/config.js';
import { parseDomainName } from '../../domains/name/domain-name.js';
import { aside } from '../../db/scope.js';
import { ApiError } from '../../errors/api-error.js';
import { NOT_ASKED, retryAfterOf } from '../../registry/answer.js';
import { Registry } from '../../registry/registry.js';
import { type Kind, maintenance, type Work, WorkKinds, type WorkResult } from '../../work/kind.js';
import { WorkLoop } from '../../work/work-loop.js';
import { BULK_KIND, type BulkCheck, BulkCheckRepository, type OpenName } from './bulk-check.repository.js';

/** Questions of one check under way at once: a slow registry is asked again before it has answered. */
const QUESTIONS_AT_ONCE = 4;
/** After this long a check makes room for those of other callers. */
const SLICE_MS = 20_000;
/** Longest wait for a turn at the registry. */
const MAX_TURN_WAIT_MS = 20_000;
const MAX_PAUSE_MS = 5_000;
/** What writing an answer takes at most, with time to spare. */
const WRITE_GRACE_MS = 10_000;
/** After so many attempts without an answer a name has none. */
const MAX_FAILURES = 3;
const FULL_SECONDS = 60;
const PURGE_EVERY_MS = 10 * 60_000;
/** How often a caller who waits looks at a check that another process runs. */
const POLL_MS = 500;
/** Checks that one process runs at a time. */
const MAX_RUNS = 500;
/** Open checks without a key, which many addresses could fill: the other places are for paying callers. */
const MAX_KEYLESS = 250;

const NO_ANSWER = {
  code: 'registry_unavailable',
  message: 'No registry answered, so the state of this name is unknown. It costs nothing; ask again later.',
} as const;

/**
 * Asks the registry about the open names of bulk checks, at its pace, even after the request has ended. An
 * answer is written before the budget is charged, so the run after a kill charges the rest, and nothing
 * twice.
 */
@Injectable()
export class BulkCheckWorker implements Kind, OnModuleDestroy {
  readonly name = BULK_KIND;
  readonly atOnce = MAX_RUNS;
  readonly graceMs = 1_000;
  readonly deadlineMs: number;
  /** Emits the id of a check when its run in this process ends. */
  private readonly ended = new EventEmitter().setMaxListeners(0);
  private readonly stopping = new AbortController();

  constructor(
    private readonly checks: BulkCheckRepository,
    private readonly registry: Registry,
    private readonly budget: RecordBudget,
    private readonly tiers: Tiers,
    private readonly loop: WorkLoop,
    kinds: WorkKinds,
    config: Config,
  ) {
    setMaxListeners(0, this.stopping.signal);
    this.deadlineMs = SLICE_MS + MAX_TURN_WAIT_MS + 2 * config.registry.timeoutMs + WRITE_GRACE_MS;
    kinds.add(
      this,
      maintenance('bulk-check-purge', PURGE_EVERY_MS, () => checks.purge()),
    );
  }

  /**
   * To be called before records are held for a check.
   *
   * @throws {ApiError} too_many_requests when too many checks without a key are open
   */
  async assertRoom({ tier }: Caller): Promise<void> {
    if (tier.keyRequired) return;
    const keyless = Object.values(this.tiers.table).filter(({ keyRequired }) => !keyRequired);
    const open = await this.checks.countOpen(
      keyless.map(({ name }) => name),
      MAX_KEYLESS,
    );
    if (open < MAX_KEYLESS) return;
    throw new ApiError(
      'too_many_requests',
      'Many lists of names are being checked without a key at the moment. Come back in a minute, or use a key.',
      { retryAfterSeconds: FULL_SECONDS },
    );
  }

  /** Has checks that were inserted begin at once. */
  wake(): void {
    this.loop.wake();
  }

  /** Waits until the check is done, for this long at most. The end of the process ends it. */
  async wait(id: string, maxMs: number): Promise<void> {
    const until = performance.now() + maxMs;
    while (!this.stopping.signal.aborted && performance.now() < until) {
      const look = new AbortController();
      const ended = once(this.ended, id, { signal: look.signal }).catch(() => undefined);
      const isDone = await this.checks.isDone(id);
      if (!isDone)
        await aside(() =>
          Promise.race([
            ended,
            this.pause(Math.min(POLL_MS, until - performance.now()), this.stopping.signal),
          ]),
        );
      look.abort();
      if (isDone) return;
    }
  }

  async run({ key: id }: Work, _now: Date, signal: AbortSignal): Promise<WorkResult> {
    try {
      const check = await this.checks.findOpen(id);
      if (!check) return {};
      setMaxListeners(0, signal);
      const endsAt = performance.now() + check.endsInMs;
      const isOver = await this.askUntil(
        check,
        Math.min(endsAt, performance.now() + SLICE_MS),
        endsAt,
        signal,
      );
      signal.throwIfAborted();
      if (!isOver && performance.now() < endsAt) return { againInMs: 0 };
      await this.finish(check);
      return {};
    } finally {
      this.ended.emit(id);
    }
  }

  /** Asks and charges nothing more. */
  async cancel(id: string): Promise<void> {
    await this.checks.closeOpen(id, NO_ANSWER);
    await this.checks.withdraw(id);
  }

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /** @returns whether no name is open */
  private async askUntil(
    check: BulkCheck,
    until: number,
    endsAt: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    while (!signal.aborted && performance.now() < until) {
      const open = await this.checks.listOpen(check.id);
      if (open.length === 0) return true;
      const lanes = Array.from({ length: QUESTIONS_AT_ONCE }, () =>
        this.askNext(check, open, until, endsAt, signal),
      );
      const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    }
    return false;
  }

  /** Takes one name after the other, so that a slow answer delays only its own name. */
  private async askNext(
    check: BulkCheck,
    open: OpenName[],
    until: number,
    endsAt: number,
    signal: AbortSignal,
  ): Promise<void> {
    for (let name = open.shift(); name; name = open.shift()) {
      if (signal.aborted || performance.now() >= until) return;
      try {
        await this.askOne(check, name, endsAt, signal);
      } catch (error) {
        // The other lanes end with what they have begun.
        open.length = 0;
        throw error;
      }
    }
  }

  private async askOne(
    check: BulkCheck,
    { place, domain }: OpenName,
    endsAt: number,
    signal: AbortSignal,
  ): Promise<void> {
    const caller = this.callerOf(check);
    const maxWaitMs = Math.max(0, Math.min(MAX_TURN_WAIT_MS, endsAt - performance.now()));
    const asked = await this.registry.ask(parseDomainName(domain), { by: caller, maxWaitMs });
    if (asked.answered) {
      await this.checks.saveAnswer(check.id, place, asked.answer);
      const { due } = await this.checks.countAnswered(check.id);
      await this.budget.draw(caller, check.reservation, due);
      return;
    }
    if (NOT_ASKED.includes(asked.reason))
      await this.pause(Math.min(MAX_PAUSE_MS, retryAfterOf(asked) * 1000), signal);
    else await this.checks.saveFailure(check.id, place, NO_ANSWER, MAX_FAILURES);
  }

  private async finish(check: BulkCheck): Promise<void> {
    await this.checks.closeOpen(check.id, NO_ANSWER);
    // Those of a caller who does not have the token yet stay reserved; the others are released.
    const { answered, due } = await this.checks.countAnswered(check.id);
    await this.budget.draw(this.callerOf(check), check.reservation, due, answered);
    await this.checks.markDone(check.id);
  }

  private callerOf({ caller, tier, accountId, keyId }: BulkCheck): Caller {
    const key =
      accountId !== null && keyId !== null ? { id: keyId, accountId, scopes: [], audience: null } : undefined;
    return { id: caller, tier: this.tiers.table[tier], accountId, ...(key && { key }) };
  }

  private async pause(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(Math.max(0, ms), undefined, { signal, ref: false }).catch(() => undefined);
  }
}
