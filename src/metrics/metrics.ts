import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { registryAsked } from '../registry/registry-asked.js';
import { messageOf } from '../validation/thrown.js';
import { type GaugeName, GAUGES, type Reading, type ReadingSource } from './gauges.js';
import { RequestMetrics } from './request-metrics.js';

export const READING_SOURCES = Symbol('ReadingSources');

/** How long readings are good for: who asks more often gets the same ones. */
const KEPT_MS = 5_000;

/** What Prometheus reads of this process and, as far as PostgreSQL knows it, of the installation. */
@Injectable()
export class Metrics implements OnModuleDestroy {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  private readonly logger = new Logger(Metrics.name);
  private readonly registry = new Registry();
  private readonly gauges = new Map<GaugeName, Gauge>();
  private readonly known;
  private readonly deafen: () => void;
  private reading: Promise<void> | null = null;
  private readAtMs = -Infinity;
  readonly requests = new RequestMetrics(this.registry);

  constructor(@Inject(READING_SOURCES) private readonly sources: readonly ReadingSource[]) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    for (const [name, { help, labels }] of Object.entries(GAUGES) as [GaugeName, GaugeText][])
      this.gauges.set(
        name,
        new Gauge({ name: `bowerbird_${name}`, help, labelNames: [...labels], registers }),
      );
    this.known = new Gauge({
      ...{
        name: 'bowerbird_readings_known',
        help: '0 while that group of figures cannot be read, and is missing.',
      },
      labelNames: ['group'] as const,
      registers,
    });
    this.deafen = hearRegistry(this.registry);
  }

  onModuleDestroy(): void {
    this.deafen();
  }

  /** The text that Prometheus scrapes. What cannot be read is left out; it never fails for that. */
  async write(): Promise<string> {
    if (!this.reading || performance.now() - this.readAtMs >= KEPT_MS) {
      this.readAtMs = performance.now();
      this.reading = this.readAll();
    }
    await this.reading;
    return this.registry.metrics();
  }

  private async readAll(): Promise<void> {
    for (const source of this.sources) {
      const readings = await source.read().catch((error: unknown) => {
        this.logger.warn(`Figures of ${source.name} are missing: ${messageOf(error)}`);
        return null;
      });
      this.known.set({ group: source.name }, Number(readings !== null));
      this.replace(source.name, readings ?? []);
    }
  }

  /** Those of the group that are gone are gone from the text as well. */
  private replace(group: string, readings: readonly Reading[]): void {
    for (const name of this.shown.get(group) ?? []) this.gauges.get(name)?.reset();
    this.shown.set(group, new Set(readings.map(({ gauge }) => gauge)));
    for (const { gauge, label, value } of readings) {
      if (value === null) continue;
      const [labelName] = GAUGES[gauge].labels;
      this.gauges.get(gauge)?.set(labelName && label !== undefined ? { [labelName]: label } : {}, value);
    }
  }

  private readonly shown = new Map<string, Set<GaugeName>>();
}

interface GaugeText {
  readonly help: string;
  readonly labels: readonly string[];
}

function hearRegistry(registry: Registry): () => void {
  const registers = [registry];
  const questions = new Counter({
    ...{
      name: 'bowerbird_registry_questions_total',
      help: 'Questions sent to a registry, by what came of them.',
    },
    labelNames: ['source', 'outcome'] as const,
    registers,
  });
  const durations = new Histogram({
    ...{ name: 'bowerbird_registry_question_seconds', help: 'How long the registry took.' },
    labelNames: ['source'] as const,
    registers,
  });
  return registryAsked.hear(({ source, outcome, seconds }) => {
    questions.inc({ source, outcome });
    durations.observe({ source }, seconds);
  });
}
