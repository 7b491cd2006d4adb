import { Injectable } from '@nestjs/common';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Clock } from '../db/database.js';
import { type CounterFactory, type Reading, ReadingSource } from '../observe/readings.js';
import { QUESTION_CHANNEL, type RegistryQuestion } from './guarded-lookup.js';
import { RegistryProgress } from './registry-progress.js';
import { TurnRepository } from './turn.repository.js';

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
