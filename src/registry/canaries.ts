import { Logger } from '@nestjs/common';
import type { Config } from '../config/config.js';
import type { DomainName } from '../domains/name/domain-name.js';
import { messageOf } from '../validation/unknown-values.js';
import { noAnswer, type NoAnswer, type NoAnswerReason, type Result, type Said } from './answer.js';
import type { AnswerLog } from './answer-log.js';
import type { Asked, GuardedLookup } from './guarded-lookup.js';
import type { Canary, RegistryHealthRepository } from './registry-health.repository.js';

const CANARY_EVERY_MS = 5 * 60_000;
/** A service that has failed is looked at again so soon. */
const CANARY_RETRY_MS = 60_000;
/** After so long without a conclusive round, the service is no longer trusted. */
export const MAX_CANARY_AGE_MS = 3 * CANARY_EVERY_MS;
/** A round waits in line for its turns, which come for two names even where the bucket holds one. */
const MAX_CANARY_WAIT_MS = 60_000;
/** When to come back to a service that is not believed. */
const RETRY_AFTER_SECONDS = 15;

/** How often each process checks whether a round is due. */
export const CANARY_WATCH_MS = 30_000;

/**
 * Names that are surely registered. A registry that does not find them, because the address is wrong or because it
 * has lost its data, would call every name free: no answer of it is believed until it finds them again. Each process
 * looks for itself when it starts; later on the round of any instance holds for all that ask at the same address.
 */
export class Canaries {
  private readonly logger = new Logger(Canaries.name);
  private readonly rounds = new Map<string, Promise<Canary>>();
  private readonly seen = new Set<string>();
  private readonly waitMs: number;

  constructor(
    private readonly names: readonly DomainName[],
    private readonly health: RegistryHealthRepository,
    private readonly log: AnswerLog,
    { maxWaitMs, ratePerSecond }: Config['registry'],
  ) {
    this.waitMs = Math.min(MAX_CANARY_WAIT_MS, Math.max(maxWaitMs, 2000 / ratePerSecond));
  }

  /**
   * Why the service is not believed; null when it is.
   *
   * @param waits whether the caller waits for the first round of this process
   */
  async distrust(service: GuardedLookup, waits: boolean): Promise<NoAnswer | null> {
    if (this.names.length === 0) return null;
    const last = this.seen.has(service.lookup.address) ? await this.health.readCanary(service.lookup) : null;
    const isCurrent = last !== null && last.ageMs <= MAX_CANARY_AGE_MS;
    const round = isCurrent ? last.canary : waits ? await this.round(service) : 'unknown';
    if (round === 'ok') return null;
    const detail = round === 'failed' ? 'does not find names that are registered' : 'not tried yet';
    return noAnswer('not_trusted', detail, RETRY_AFTER_SECONDS);
  }

  /** Holds the round that is due, if one is. Never throws. */
  async watch(service: GuardedLookup): Promise<void> {
    if (this.names.length === 0) return;
    try {
      const last = this.seen.has(service.lookup.address)
        ? await this.health.readCanary(service.lookup)
        : null;
      const everyMs = last?.canary === 'ok' ? CANARY_EVERY_MS : CANARY_RETRY_MS;
      if (!last || last.ageMs >= everyMs) await this.round(service);
    } catch (error) {
      this.logger.warn(`${service.lookup.source} was not asked about canaries: ${messageOf(error)}`);
    }
  }

  /** One round at a time. */
  private round(service: GuardedLookup): Promise<Canary> {
    const { address } = service.lookup;
    const begun = this.rounds.get(address);
    if (begun) return begun;
    const round = this.ask(service, address).finally(() => this.rounds.delete(address));
    this.rounds.set(address, round);
    return round;
  }

  private async ask(service: GuardedLookup, address: string): Promise<Canary> {
    const { source } = service.lookup;
    for (const name of this.names) {
      const turn = await service.takeTurn('canary', this.waitMs);
      const said: Asked = turn.answered ? await service.ask(name, turn) : turn;
      if (said.entry) this.log.add(said.entry);
      const canary = judgeCanary(said);
      if (canary === 'unknown') return canary;
      if (canary === 'ok') continue;
      const what = said.answered ? said.state : said.reason;
      this.logger.error(
        `${source} says ${what} of ${name.domain}, which is registered: no answer of it is believed`,
      );
      await this.note(source, address, canary);
      return canary;
    }
    await this.note(source, address, 'ok');
    return 'ok';
  }

  private async note(source: GuardedLookup['lookup']['source'], address: string, canary: 'ok' | 'failed') {
    await this.health.noteCanary({ source, address }, canary);
    this.seen.add(address);
  }
}

/** Answers that no registry gives to a name that it holds; others only show that it cannot be asked at the moment. */
const WRONG: readonly NoAnswerReason[] = ['not_understood', 'too_large', 'too_old'];

/** What an answer about a name that is surely registered says of the service that gave it. */
export function judgeCanary(said: Result<Said>): Canary {
  if (!said.answered) return WRONG.includes(said.reason) ? 'failed' : 'unknown';
  switch (said.state) {
    case 'registered':
    case 'expired_hold':
    case 'pending_purge':
    case 'pending_delete':
      return 'ok';
    case 'available':
    case 'reserved':
    case 'declined':
      return 'failed';
    default:
      return said.state satisfies never;
  }
}
