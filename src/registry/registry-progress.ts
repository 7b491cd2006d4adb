import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { maxSilenceSeconds, QUESTIONS } from '../domains/freshness/turn-speed.js';
import { QuestionQueue } from '../domains/lifecycle/question-queue.repository.js';
import { secondsBetween } from '../observe/readings.js';
import { minutesOf } from '../observe/progress.js';
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
