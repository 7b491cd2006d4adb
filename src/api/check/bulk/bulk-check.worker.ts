import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Cron, CronExpression, Interval } from '@nestjs/schedule';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../../access/caller.js';
import { parseDomainName } from '../../../domains/name/domain-name.js';
import { ApiError } from '../../../errors/api-error.js';
import { RecordBudget } from '../../../access/record-budget.js';
import { NOT_ASKED, retryAfterOf } from '../../../registry/answer.js';
import { Registry } from '../../../registry/registry.js';
import { Tiers } from '../../../config/tiers.js';
import { messageOf } from '../../../validation/unknown-values.js';
import { type BulkCheck, BulkCheckRepository, type OpenName } from './bulk-check.repository.js';

/** As many questions of one bulk check are under way at once: a slow registry is asked again before it has answered. */
const QUESTIONS_AT_ONCE = 4;
/** Longest wait for a turn before the others of the check are looked at. */
const MAX_TURN_WAIT_MS = 20_000;
const MAX_PAUSE_MS = 5_000;
/** A registry that was asked so often and gave no answer gives none. */
const MAX_FAILURES = 3;
const FULL_SECONDS = 60;
const WATCH_MS = 5_000;
const POLL_MS = 500;
/** Bulk checks that an instance takes over at once. */
const MAX_TAKEN_OVER = 20;
/** Checks that one process works on; the lease of one more passes, and whoever is free goes on with it. */
const MAX_RUNS = 500;
/** Of these the demo's, which many addresses could fill: the others are kept for those who pay. */
const MAX_DEMO_RUNS = 250;

const NO_ANSWER = {
  code: 'registry_unavailable',
  message: 'No registry answered, so the state of this name is unknown. It costs nothing; ask again later.',
} as const;

/**
 * Asks the registry about what is open in bulk checks, at its pace, also when the request is over. The work is in PostgreSQL and
 * under a lease: what a process leaves undone another one does. An answer is written down before the budget is told of the sum, so
 * whoever goes on after a death charges what was not charged yet, and nothing twice.
 */
@Injectable()
export class BulkCheckWorker implements OnModuleDestroy {
  private readonly logger = new Logger(BulkCheckWorker.name);
  private readonly runs = new Map<string, Promise<void>>();
  private demoRuns = 0;
  /** Runs whose lease another process has. */
  private readonly lost = new Set<string>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly checks: BulkCheckRepository,
    private readonly registry: Registry,
    private readonly budget: RecordBudget,
    private readonly tiers: Tiers,
  ) {
    // Everybody who waits listens.
    setMaxListeners(0, this.stopping.signal);
  }

  /**
   * To be asked before anything is held for a check.
   *
   * @throws {ApiError} too_many_requests when this process has as many checks of the demo under way as it takes
   */
  assertRoom({ tier }: Caller): void {
    if (tier.keyRequired || this.demoRuns < MAX_DEMO_RUNS) return;
    throw new ApiError(
      'too_many_requests',
      'Many lists of names are being checked without a key at the moment. Come back in a minute, or use a key.',
      { retryAfterSeconds: FULL_SECONDS },
    );
  }

  /** Begins or goes on with a check whose lease this process has. Never throws. */
  begin(check: BulkCheck): void {
    if (this.runs.size >= MAX_RUNS) return;
    const isDemo = !this.tiers.table[check.tier].keyRequired;
    this.demoRuns += Number(isDemo);
    const run = this.run(check)
      .catch((error: unknown) => {
        // The lease passes, and somebody goes on.
        if (!this.isStopping) this.logger.warn(`A bulk check was left for later: ${messageOf(error)}`);
      })
      .finally(() => {
        this.runs.delete(check.id);
        this.demoRuns -= Number(isDemo);
        this.lost.delete(check.id);
      });
    this.runs.set(check.id, run);
  }

  /** How many checks are under way here. */
  get size(): number {
    return this.runs.size;
  }

  /** Waits until everything in the check is done, but no longer than this. Whoever stops waits for nothing. */
  async wait(id: string, maxMs: number): Promise<void> {
    const until = performance.now() + maxMs;
    while (!this.isStopping && performance.now() < until && !(await this.checks.isDone(id))) {
      const rest = until - performance.now();
      const run = this.runs.get(id);
      await Promise.race([...(run ? [run] : []), this.pause(run ? rest : Math.min(POLL_MS, rest))]);
    }
  }

  /** Shows that this process is there, and goes on with what one left that died. */
  @Interval(WATCH_MS)
  async takeOver(): Promise<void> {
    try {
      await this.renewLeases();
      // No more than it has room for: what is claimed and not begun would be kept from those who are free.
      const room = Math.min(MAX_TAKEN_OVER, MAX_RUNS - this.runs.size);
      for (const check of await this.checks.claim(room)) this.begin(check);
    } catch (error) {
      this.logger.warn(`Bulk checks were not looked after: ${messageOf(error)}`);
    }
  }

  @Cron(CronExpression.EVERY_10_MINUTES)
  async purge(): Promise<void> {
    try {
      await this.checks.purge();
    } catch (error) {
      this.logger.warn(`Old bulk checks were not removed: ${messageOf(error)}`);
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    const ids = [...this.runs.keys()];
    if (ids.length === 0) return;
    await this.checks
      .release(ids)
      .catch((error: unknown) => this.logger.warn(`Leases were not given back: ${messageOf(error)}`));
  }

  private async renewLeases(): Promise<void> {
    const ids = [...this.runs.keys()];
    if (ids.length === 0) return;
    const kept = await this.checks.renew(ids);
    for (const id of ids) if (!kept.includes(id) && this.runs.has(id)) this.lost.add(id);
  }

  /** Whether this process has nothing more to do with the check. */
  private isOver({ id }: BulkCheck): boolean {
    return this.isStopping || this.lost.has(id);
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(check: BulkCheck): Promise<void> {
    const endsAt = performance.now() + check.endsInMs;
    while (!this.isOver(check) && performance.now() < endsAt) {
      const open = await this.checks.listOpen(check.id);
      if (open.length === 0) break;
      const lanes = Array.from({ length: QUESTIONS_AT_ONCE }, () => this.askNext(check, open, endsAt));
      const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    }
    if (!this.isOver(check)) await this.finish(check);
  }

  /** Takes one name after the other, so that a slow answer keeps none waiting but its own. */
  private async askNext(check: BulkCheck, open: OpenName[], endsAt: number): Promise<void> {
    for (let name = open.shift(); name; name = open.shift()) {
      if (this.isOver(check) || performance.now() >= endsAt) return;
      try {
        await this.askOne(check, name, endsAt);
      } catch (error) {
        // The others end with what they have begun.
        open.length = 0;
        throw error;
      }
    }
  }

  private async askOne(check: BulkCheck, { place, domain }: OpenName, endsAt: number): Promise<void> {
    const caller = this.callerOf(check);
    const maxWaitMs = Math.max(0, Math.min(MAX_TURN_WAIT_MS, endsAt - performance.now()));
    const asked = await this.registry.ask(parseDomainName(domain), { by: caller, maxWaitMs });
    if (asked.answered) {
      await this.checks.saveAnswer(check.id, place, asked.answer);
      const answered = await this.checks.countAnswered(check.id);
      await this.budget.draw(caller, check.reservation, answered, false);
      return;
    }
    if (NOT_ASKED.includes(asked.reason))
      await this.pause(Math.min(MAX_PAUSE_MS, retryAfterOf(asked) * 1000));
    else await this.checks.saveFailure(check.id, place, NO_ANSWER, MAX_FAILURES);
  }

  /** Asks and charges nothing more. */
  async giveUp(id: string): Promise<void> {
    await this.checks.closeOpen(id, NO_ANSWER);
    await this.checks.markDone(id);
  }

  private async finish(check: BulkCheck): Promise<void> {
    // Who has it now closes it.
    if ((await this.checks.renew([check.id])).length === 0) return;
    await this.checks.closeOpen(check.id, NO_ANSWER);
    const answered = await this.checks.countAnswered(check.id);
    await this.budget.draw(this.callerOf(check), check.reservation, answered, true);
    await this.checks.markDone(check.id);
  }

  private callerOf({ caller, tier, accountId, keyId }: BulkCheck): Caller {
    const key =
      accountId !== null && keyId !== null ? { id: keyId, accountId, scopes: [], audience: null } : undefined;
    return { id: caller, tier: this.tiers.table[tier], accountId, ...(key && { key }) };
  }

  /** Ends early when the process does. */
  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopping.signal, ref: false }).catch(() => undefined);
  }
}
