import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import { IdempotentRequests, type Remember, senderOf } from '../../access/idempotent-requests.js';
import { Config } from '../../config/config.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { withSandboxWords } from '../../domains/first-offers.js';
import { type DomainName, parseDomainName } from '../../domains/name/domain-name.js';
import { carriedThrough } from '../../db/scope.js';
import { ApiError } from '../../errors/api-error.js';
import { type Held, RecordBudget } from '../../access/record-budget.js';
import type { Metered } from '../../access/rate.dto.js';
import { Registry } from '../../registry/registry.js';
import { messageOf } from '../../validation/unknown-values.js';
import { checkedOf } from './checked.js';
import { BULK_SECONDS, type BulkCheckItem, type BulkCheckResult } from './check.dto.js';
import { type BulkName, BulkCheckRepository } from './bulk-check.repository.js';
import { BulkCheckWorker } from './bulk-check.worker.js';
import {
  hashBulkToken,
  mintBulkToken,
  parseUnique,
  attachKnownAnswers,
  LEFT_OUT,
  type Wanted,
} from './name-list.js';

/** A question that was asked in the last moment is charged when its answer is there. */
const LAST_ANSWER_SECONDS = 60;
/** However much is pending: turns of others may fall away. */
const MAX_RETRY_AFTER_SECONDS = 60;

@Injectable()
export class BulkCheckService implements OnApplicationShutdown {
  private readonly logger = new Logger(BulkCheckService.name);
  private readonly ending = new Set<Promise<void>>();
  /** Reservations of lists that have begun: the registry may have been asked about any of their names. */
  private readonly begun = new WeakSet<Held>();

  constructor(
    private readonly budget: RecordBudget,
    private readonly registry: Registry,
    private readonly domains: DomainRepository,
    private readonly checks: BulkCheckRepository,
    private readonly worker: BulkCheckWorker,
    private readonly config: Config,
    private readonly requests: IdempotentRequests,
  ) {}

  /**
   * Checks many names: known answers at once, the others at the registry's pace for `waitSeconds`, the rest
   * later by token. Each answer costs one record; a name without an answer within {@link BULK_SECONDS} costs
   * nothing.
   *
   * @param texts at most 200; an invalid name fails by itself
   * @throws {ApiError} budget_exhausted when the budget covers none of the names; too_many_requests when too
   * many demo lists are running
   */
  async checkAll(texts: readonly string[], waitSeconds: number, caller: Caller): Promise<BulkCheckResult> {
    const wanted = parseUnique(texts);
    const names = wanted.flatMap(({ name }) => name ?? []);
    if (names.length === 0) return this.resultOf(wanted, null, caller, await this.budget.read(caller));

    return this.holding(names, caller, (held, token) =>
      this.checkHeld(wanted, names.slice(0, held.granted), held, token, waitSeconds, caller),
    );
  }

  /**
   * The same for a request that may be sent again with its key: it is kept whole for an hour, and charged once.
   *
   * @returns the token where the check can be fetched, too
   * @throws {ApiError} idempotency_conflict, and as {@link checkAll} does
   */
  async checkOnce(
    texts: readonly string[],
    waitSeconds: number,
    caller: Caller,
    key: string | undefined,
  ): Promise<{ result: BulkCheckResult; token: string | null }> {
    const isKept = key !== undefined && parseUnique(texts).some(({ name }) => name);
    if (!isKept) {
      const result = await this.checkAll(texts, waitSeconds, caller);
      return { result, token: result.token };
    }
    const request = { by: senderOf(caller), key, content: ['check', texts] };
    const make = async (remember: Remember) => {
      const token = await this.checkAndKeep(texts, waitSeconds, caller, remember);
      const names = await this.readBack(token, caller);
      const result = await this.resultOf(names, token, caller, await this.budget.read(caller));
      return { result, token };
    };
    return this.requests.once(request, make, async (token) => {
      const found = await this.checks.find(hashBulkToken(token), caller.id);
      if (!found) return null;
      await this.whenSent(caller, (share) =>
        share === 1 ? this.deliver(found.id, found, caller) : Promise.resolve(),
      );
      return { result: await this.fetchRest(token, waitSeconds, caller), token };
    });
  }

  /**
   * The same, kept whole for an hour also where everything is known at once: for pages, which show it at an address.
   *
   * @returns the token
   * @throws {ApiError} budget_exhausted, and domain_invalid when there is no name among the texts
   */
  async checkAndKeep(
    texts: readonly string[],
    waitSeconds: number,
    caller: Caller,
    remember?: Remember,
  ): Promise<string> {
    const wanted = parseUnique(texts);
    const names = wanted.flatMap(({ name }) => name ?? []);
    const [first] = wanted;
    if (names.length === 0)
      throw new ApiError('domain_invalid', first?.error?.message ?? 'There is no name to check.');
    return this.holding(names, caller, async (held, token) => {
      const paid = names.slice(0, held.granted);
      const known = await this.registry.findAllKnown(paid);
      const filled = wanted.map((one) => attachKnownAnswers(one, new Set(paid), known));
      await this.begin(filled, held, token, waitSeconds, caller, remember);
      return token;
    });
  }

  private async holding<Result>(
    names: readonly DomainName[],
    caller: Caller,
    work: (held: Held, token: string) => Promise<Result>,
  ): Promise<Result> {
    await this.worker.assertRoom(caller);
    const held = await this.budget.hold(caller, names.length, BULK_SECONDS + LAST_ANSWER_SECONDS);
    const token = mintBulkToken();
    try {
      return await work(held, token);
    } catch (error) {
      await carriedThrough(() => this.cancel(token, held, caller));
      throw error;
    }
  }

  private async checkHeld(
    wanted: readonly Wanted[],
    paid: readonly DomainName[],
    held: Held,
    token: string,
    waitSeconds: number,
    caller: Caller,
  ): Promise<BulkCheckResult> {
    const known = await this.registry.findAllKnown(paid);
    const filled = wanted.map((one) => attachKnownAnswers(one, new Set(paid), known));
    if (known.size === paid.length) {
      await this.whenSent(caller, async (share) => {
        await this.charge(held, caller, Math.floor(known.size * share), 0);
      });
      return this.resultOf(filled, null, caller, await this.budget.read(caller));
    }
    await this.begin(filled, held, token, waitSeconds, caller);
    const left = await this.budget.read(caller);
    return this.resultOf(await this.readBack(token, caller), token, caller, left);
  }

  /**
   * The caller does not have the token: stop asking, and release the reservation.
   *
   * @param share of the answers that was sent all the same
   */
  private async cancel(token: string, held: Held, caller: Caller, share = 0): Promise<void> {
    try {
      const begun = await this.checks.find(hashBulkToken(token), caller.id);
      if (begun) await this.worker.cancel(begun.id);
      const answered = begun && share > 0 ? (await this.checks.countAnswered(begun.id)).answered : 0;
      await this.charge(held, caller, Math.floor(answered * share), this.begun.has(held) ? held.granted : 0);
    } catch (error) {
      // The reservation expires by itself.
      this.logger.warn(`A bulk check that failed was not cancelled: ${messageOf(error)}`);
    }
  }

  /** Charges the records that were sent, and releases the others. */
  private async charge(
    { reservation, giveBack }: Held,
    caller: Caller,
    sent: number,
    asked: number,
  ): Promise<void> {
    await this.budget.draw(caller, reservation, sent, 0);
    await giveBack(sent, asked);
  }

  /** Answers are charged from the moment on at which the caller can fetch them. */
  private async deliver(
    id: string,
    { reservation }: Pick<Held, 'reservation'>,
    caller: Caller,
  ): Promise<void> {
    const isDone = await this.checks.markDelivered(id);
    const { due } = await this.checks.countAnswered(id);
    await this.budget.draw(caller, reservation, due, isDone ? 0 : undefined);
  }

  /** Runs `end` when the answer has ended, with the share of it that was sent. */
  private whenSent(caller: Caller, end: (share: number) => Promise<void>): Promise<void> {
    if (!caller.delivery) return end(1);
    caller.delivery.onEnd((share) => {
      const ending = end(share)
        .catch((error: unknown) => this.logger.warn(`A bulk check was not charged: ${messageOf(error)}`))
        .finally(() => this.ending.delete(ending));
      this.ending.add(ending);
    });
    return Promise.resolve();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.ending);
  }

  /**
   * The answers of an earlier bulk check, and late ones that arrive in time. Costs nothing more.
   *
   * @throws {ApiError} not_found for a token that is unknown, expired, or another caller's
   */
  async fetchRest(token: string, waitSeconds: number, caller: Caller): Promise<BulkCheckResult> {
    const found = await this.find(token, caller);
    if (!found.isDone) caller.delivery?.waits();
    if (!found.isDone) await this.worker.wait(found.id, waitSeconds * 1000);
    const names = await this.newest(await this.checks.listNames(found.id));
    return this.resultOf(names, token, caller, await this.budget.read(caller));
  }

  /** Earlier answers may have been replaced by newer ones since. */
  private async newest(names: readonly BulkName[]): Promise<BulkName[]> {
    const answered = names.flatMap(({ domain, answer }) => (answer ? parseDomainName(domain) : []));
    const known = await this.registry.findAllKnown(answered);
    return names.map((one) => {
      const now = known.get(one.domain);
      if (!one.answer) return one;
      return {
        ...one,
        answer: now && now.checkedAt > one.answer.checkedAt ? now : { ...one.answer, cached: true },
      };
    });
  }

  private async begin(
    names: readonly BulkName[],
    held: Held,
    token: string,
    waitSeconds: number,
    caller: Caller,
    remember?: Remember,
  ): Promise<void> {
    const check = await this.checks.insert(
      caller,
      held.reservation,
      hashBulkToken(token),
      BULK_SECONDS,
      names.map(({ domain, answer, error }) => ({ domain, answer, error })),
      async (transaction) => remember?.(token, transaction),
    );
    this.begun.add(held);
    await this.whenSent(caller, (share) =>
      share === 1 ? this.deliver(check.id, held, caller) : this.cancel(token, held, caller, share),
    );
    this.worker.wake();
    caller.delivery?.waits();
    await this.worker.wait(check.id, waitSeconds * 1000);
  }

  private async readBack(token: string, caller: Caller): Promise<BulkName[]> {
    return this.checks.listNames((await this.find(token, caller)).id);
  }

  private async find(token: string, caller: Caller): Promise<{ id: string; isDone: boolean }> {
    const found = await this.checks.find(hashBulkToken(token), caller.id);
    if (found) return found;
    throw new ApiError(
      'not_found',
      'There is no bulk check with this token for you; answers are kept for an hour.',
    );
  }

  private async resultOf(
    names: readonly BulkName[],
    token: string | null,
    caller: Caller,
    left: Metered,
  ): Promise<BulkCheckResult> {
    const answered = names.filter(({ answer }) => answer);
    const failed = names.filter(({ error }) => error);
    const pending = names.length - answered.length - failed.length;
    // Read after the answers, which may have changed them.
    const rows = await this.domains.findDomains(answered.map(({ domain }) => domain));
    const itemOf = ({ domain, answer, error }: BulkName): BulkCheckItem => {
      if (error) return { domain, status: 'failed', error };
      if (!answer) return { domain, status: 'pending' };
      const name = parseDomainName(domain);
      const result = checkedOf(name, answer, rows.get(domain) ?? null, caller.tier, this.config);
      return { domain, status: 'answered', result };
    };
    return {
      ok: true,
      count: names.length,
      answered: answered.length,
      failed: failed.length,
      pending,
      token: pending > 0 ? token : null,
      retry_after: pending > 0 ? this.retryAfter(pending) : null,
      results: names.map(itemOf),
      note: noteOn(names, pending, left),
      ...left,
    };
  }

  private retryAfter(pending: number): number {
    return Math.min(MAX_RETRY_AFTER_SECONDS, Math.ceil(pending / this.config.registry.ratePerSecond));
  }
}

function noteOn(names: readonly BulkName[], pending: number, { quota }: Metered): string {
  const leftOut = names.filter(({ error }) => error?.code === LEFT_OUT.code).length;
  const back = quota?.remaining === 0 ? `at ${quota.resets_at}` : 'after rate.reset_in seconds';
  const words = [
    ...(leftOut > 0
      ? [
          `Limited by what the budget had left: ${leftOut} names were not asked about; ask for them again ${back}.`,
        ]
      : []),
    pending > 0
      ? `${pending} names wait for the registry's pace: fetch them with the token, at no second ` +
        'charge. Their records are held, and given back when there is no answer within ' +
        `${BULK_SECONDS / 60} minutes.`
      : 'Every name has what it gets.',
  ].join(' ');
  return withSandboxWords(words, ...names.map(({ answer }) => answer?.source));
}
