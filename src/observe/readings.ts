import type { Counter, CounterConfiguration, Histogram, HistogramConfiguration } from 'prom-client';

/** A gauge: its name in the text is `bowerbird_` and its key; it has at most one label, with few values. */
export interface Gauge {
  readonly help: string;
  readonly label?: string;
}

/** One value of a gauge. A value that is not known is null and left out: 0 would be a claim. */
export interface Reading<Name extends string> {
  readonly gauge: Name;
  readonly value: number | null;
  readonly label?: string;
}

/**
 * What a room publishes at /metrics. A room registers by having such a provider in one of its modules: `Metrics` finds
 * it. The figures of one group are read together and are missing together.
 */
export abstract class ReadingSource<Name extends string = string> {
  /** Unique; the label `group` of `bowerbird_readings_known`. */
  abstract readonly group: string;
  abstract readonly gauges: Readonly<Record<Name, Gauge>>;
  /** Uses one connection at a time: figures may not crowd out callers. */
  abstract read(): Promise<Reading<Name>[]>;
  /** Adds counters of what happens in this process. @returns what ends the counting */
  count?(factory: CounterFactory): () => void;
}

/** Makes counters that stand in the text of this process: a room need not load prom-client. */
export interface CounterFactory {
  counter<Label extends string>(configuration: CounterConfiguration<Label>): Counter<Label>;
  histogram<Label extends string>(configuration: HistogramConfiguration<Label>): Histogram<Label>;
}

/** Not below 0, though clocks differ. */
export function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, (to.getTime() - from.getTime()) / 1_000);
}
