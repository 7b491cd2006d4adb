import type { Counter, CounterConfiguration, Histogram, HistogramConfiguration } from 'prom-client';
import { Injectable } from '@nestjs/common';
import { Clock } from '../db/database.js';

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

/** Finds work that should move and does not. @returns a sentence for the operator about each */
type Look = (now: Date) => Promise<readonly string[]>;

/** Finds what stands still in the installation. Each room adds its own look. */
@Injectable()
export class ProgressWatch {
  private readonly looks: Look[] = [];

  constructor(private readonly clock: Clock) {}

  add(look: Look): void {
    this.looks.push(look);
  }

  /** One after the other, on one connection. @throws {DatabaseUnavailable} */
  async findStalls(): Promise<string[]> {
    const now = await this.clock.now();
    const found: string[] = [];
    for (const look of this.looks) found.push(...(await look(now)));
    return found;
  }
}

/** "17 minutes", for sentences about stalls. */
export function minutesOf(seconds: number): string {
  return `${Math.floor(seconds / 60)} minutes`;
}
