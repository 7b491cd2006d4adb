import { Injectable } from '@nestjs/common';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Clock } from '../db/database.js';
import {
  type CounterFactory,
  type Reading,
  ReadingSource,
  secondsBetween,
  minutesOf,
} from '../observe/readings.js';
import { QUESTION_CHANNEL, type RegistryQuestion } from './guarded-lookup.js';
import { TurnRepository } from './turn.repository.js';
import { Config } from '../config/config.js';
import { maxSilenceSeconds, QUESTIONS } from '../domains/freshness/turn-speed.js';
import { QuestionQueue } from '../domains/lifecycle/question-queue.repository.js';
import { JobStateRepository } from '../work/job-state.repository.js';
import type { RegistrySource } from './answer.js';
import { MAX_CANARY_AGE_MS } from './canaries.js';
import { Registry } from './registry.js';

/** Whether names that wait for the registry get answers, and whether its canaries are asked. */
@Injectable()
export class RegistryProgress {
  private readonly startedAt = performance.now();

  constructor(
    private readonly config: Config,
    private readonly registry: Registry,
    private readonly queue: QuestionQueue,
    private readonly states: JobStateRepository,
  ) {}

  /** For how long no name that waits was answered; 0 where none waits; null where no job asks, or it is paused. */
  async readSilenceSeconds(now: Date): Promise<number | null> {
    const job = (await this.states.list()).find(({ name }) => name === QUESTIONS);
    const movedAt = job?.cursor?.moved_at;
    if (!job || job.pausedAt || typeof movedAt !== 'string') return null;
    return (await this.queue.isWaiting(now)) ? secondsBetween(new Date(movedAt), now) : 0;
  }

  /** Since the last round of canaries that said something, or since the start of this process. */
  async readCanaryAges(now: Date): Promise<{ source: RegistrySource; seconds: number }[]> {
    if (!this.config.registry.hasCanaries) return [];
    const upSeconds = (performance.now() - this.startedAt) / 1000;
    return (await this.registry.readHealth()).map(({ source, canaryAt }) => ({
      source,
      seconds: canaryAt ? secondsBetween(canaryAt, now) : upSeconds,
    }));
  }

  async findStalls(now: Date): Promise<string[]> {
    const silence = (await this.readSilenceSeconds(now)) ?? 0;
    const limit = maxSilenceSeconds(this.config.registry.ratePerSecond);
    const old = (await this.readCanaryAges(now)).filter(({ seconds }) => seconds * 1000 > MAX_CANARY_AGE_MS);
    return [
      ...(silence > limit ? [`No answer of a registry for ${minutesOf(silence)} while names wait.`] : []),
      ...old.map(
        ({ source, seconds }) =>
          `The registry ${source} has not been asked about its canaries for ${minutesOf(seconds)}.`,
      ),
    ];
  }
}

const GAUGES = {
  registry_line_waiting: { help: 'Callers in the line for a turn at the registry.' },
  registry_silence_seconds: {
    help: 'Since a name was answered while names wait for the registry; 0: none waits.',
  },
  registry_canary_age_seconds: {
    help: 'Since the canaries of the registry were last asked.',
    label: 'source',
  },
} as const;

/** The line for a turn at the registry, of the whole installation, and the questions of this process. */
@Injectable()
export class RegistryReadings extends ReadingSource<keyof typeof GAUGES> {
  readonly group = 'registry';
  readonly gauges = GAUGES;

  constructor(
    private readonly clock: Clock,
    private readonly turns: TurnRepository,
    private readonly progress: RegistryProgress,
  ) {
    super();
  }

  async read(): Promise<Reading<keyof typeof GAUGES>[]> {
    const now = await this.clock.now();
    const canaries = await this.progress.readCanaryAges(now);
    return [
      { gauge: 'registry_line_waiting', value: await this.turns.countWaiting(now) },
      { gauge: 'registry_silence_seconds', value: await this.progress.readSilenceSeconds(now) },
      ...canaries.map(({ source: label, seconds: value }) => ({
        ...{ gauge: 'registry_canary_age_seconds' as const, label, value },
      })),
    ];
  }

  override count({ counter, histogram }: CounterFactory): () => void {
    const asked = counter({
      name: 'bowerbird_registry_questions_total',
      help: 'Questions sent to a registry, by outcome.',
      labelNames: ['source', 'outcome'],
    });
    const durations = histogram({
      name: 'bowerbird_registry_question_seconds',
      help: 'How long the registry took.',
      labelNames: ['source'],
    });
    const note = (message: unknown) => {
      const { source, outcome, seconds } = message as RegistryQuestion;
      asked.inc({ source, outcome });
      durations.observe({ source }, seconds);
    };
    subscribe(QUESTION_CHANNEL, note);
    return () => void unsubscribe(QUESTION_CHANNEL, note);
  }
}
