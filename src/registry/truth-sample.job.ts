import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Freshness } from '../domains/freshness/freshness.js';
import { Lifecycle } from '../domains/lifecycle/lifecycle.js';
import { parseDomainName } from '../domains/name/domain-name.js';
import {
  type DrawnOffer,
  OfferSampler,
  TruthSampleRepository,
} from '../domains/truth/truth-sample.repository.js';
import { RANKS, type SampleOutcome, type Stratum, stratumOf } from '../domains/truth/sample-plan.js';
import { agesByNeed } from '../domains/truth/truth-windows.js';
import { findingOf, type RegistryState } from '../domains/schema/states.js';
import type { Kind, Work, WorkResult } from '../work/kind.js';
import { NOT_ASKED, type NoAnswerReason } from './answer.js';
import { Registry } from './registry.js';

const DAY_MS = 86_400_000;
/** With no sample wanted, nothing is drawn; the job looks in an hour. */
const IDLE_MS = 3_600_000;

/** Says nothing of the offer, which is checked later. */
const SAYS_NOTHING: readonly NoAnswerReason[] = [...NOT_ASKED, 'rate_limited', 'not_written'];

/**
 * Asks about offers drawn by lot, spread over the day, and writes down whether they were true. A run is one offer. An
 * offer that could not be checked keeps its turn: leaving it out would favour offers that are drawn at quiet hours.
 */
@Injectable()
export class TruthSampleJob implements Kind {
  readonly name = 'truth-sample';
  readonly everyMs: number;

  constructor(
    private readonly config: Config,
    private readonly sampler: OfferSampler,
    private readonly samples: TruthSampleRepository,
    private readonly registry: Registry,
    private readonly lifecycle: Lifecycle,
    private readonly freshness: Freshness,
  ) {
    const { samplePerDay } = this.config.truth;
    this.everyMs = samplePerDay === 0 ? IDLE_MS : Math.floor(DAY_MS / samplePerDay);
  }

  async run({ cursor }: Work, now: Date): Promise<WorkResult> {
    const drawn = Number(cursor?.drawn ?? 0);
    // While the guard doubts the registry, its word on an offer is worth nothing.
    const { writesStoppedAt } = await this.lifecycle.readGuard();
    if (this.config.truth.samplePerDay === 0 || writesStoppedAt) return {};
    const stratum = stratumOf(drawn);
    const offer = await this.findOrDraw(cursor?.waiting, stratum, now);
    if (!offer) return { cursor: { drawn: drawn + 1, waiting: null } };

    const result = await this.registry.askInBackground(parseDomainName(offer.domain), 'sample');
    if (!result.answered && SAYS_NOTHING.includes(result.reason)) {
      return {
        againInMs: Math.min(this.everyMs, result.retryAfterSeconds * 1_000),
        cursor: { drawn, waiting: offer.domain },
      };
    }
    if (result.answered) await this.freshness.learn(result.outcome, result.answer.checkedAt);
    const outcome = result.answered ? outcomeOf(result.answer.state) : 'unknown';
    await this.samples.add(offer, stratum, outcome, result.answered ? result.answer.checkedAt : now);
    return { cursor: { drawn: drawn + 1, waiting: null } };
  }

  private async findOrDraw(waiting: unknown, stratum: Stratum, now: Date): Promise<DrawnOffer | null> {
    const kept = typeof waiting === 'string' ? await this.sampler.find(waiting) : null;
    if (kept) return kept;
    if (stratum === 'age') return this.drawFromAges(now);
    const ranks = RANKS[stratum];
    return ranks === null
      ? this.sampler.drawFromAll(Math.random)
      : this.sampler.drawFromTop(ranks, Math.random);
  }

  private async drawFromAges(now: Date): Promise<DrawnOffer | null> {
    const counts = await this.samples.countByPeriod(now);
    for (const group of agesByNeed(counts, await this.sampler.countOffers())) {
      const offer = await this.sampler.drawFromAge(group, now, Math.random);
      if (offer) return offer;
    }
    return null;
  }
}

function outcomeOf(state: RegistryState): SampleOutcome {
  const finding = findingOf(state);
  switch (finding) {
    case 'free':
      return 'free';
    case 'held':
      return 'taken';
    case 'neither':
      return 'unknown';
    default:
      return finding satisfies never;
  }
}
