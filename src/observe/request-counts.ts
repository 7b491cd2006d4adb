import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { RequestHandler } from 'express';
import { OutageLogger } from '../errors/outage.js';
import { timeOfDatabase } from '../db/database-time.js';
import { BUCKETS, bucketOf, doorOf, operationOf } from './objectives.js';
import { type MinuteCount, ServiceMinuteRepository } from './service-minute.repository.js';
import { BoundedMap } from '../validation/caches.js';

export const WRITE_EVERY_MS = 10_000;
const MINUTE_MS = 60_000;
/** About a day of counts; a longer outage makes every minute a bad one anyway. */
const MAX_KEPT_COUNTS = 10_000;

/** Counts requests, and adds them to the minutes of all instances every ten seconds: no request waits for it. */
@Injectable()
export class RequestCounts implements OnApplicationShutdown {
  private readonly outage = new OutageLogger(
    new Logger('ServiceLevels'),
    'Requests are counted and not written',
  );
  private counts = new BoundedMap<string, MinuteCount>(MAX_KEPT_COUNTS);

  constructor(private readonly minutes: ServiceMinuteRepository) {}

  readonly note: RequestHandler = (request, response, next) => {
    const startMs = performance.now();
    const { method, path } = request;
    const door = doorOf(path);
    if (door !== null)
      response.once('close', () => {
        const isFailure = response.statusCode >= 500;
        this.count(`door:${door}`, isFailure, null);
        const operation = operationOf(method, path);
        // A caller that hangs up chose when.
        if (operation !== null && response.writableFinished)
          this.count(`operation:${operation}`, isFailure, performance.now() - startMs);
      });
    next();
  };

  /** A request that was refused before any middleware. */
  noteRefusal(path: string): void {
    const door = doorOf(path);
    if (door !== null) this.count(`door:${door}`, true, null);
  }

  async write(now: Date = timeOfDatabase()): Promise<void> {
    this.countOf('instance', now);
    const counts = this.counts;
    this.counts = new BoundedMap(MAX_KEPT_COUNTS);
    try {
      await this.minutes.add([...counts.values()]);
      this.outage.end();
    } catch (error) {
      this.outage.begin(error);
      this.keep(counts);
    }
  }

  async deleteOld(now: Date): Promise<void> {
    await this.minutes.deleteOld(now);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.write();
  }

  private count(subject: string, isFailure: boolean, durationMs: number | null): void {
    const count = this.countOf(subject, timeOfDatabase());
    count.requests += 1;
    count.failures += Number(isFailure);
    if (durationMs === null) return;
    const bucket = bucketOf(durationMs);
    count.durations[bucket] = (count.durations[bucket] ?? 0) + 1;
  }

  private countOf(subject: string, now: Date): MinuteCount {
    const minute = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS;
    const key = `${minute} ${subject}`;
    const known = this.counts.get(key);
    if (known) return known;
    const isTimed = subject.startsWith('operation:');
    const durations = Array.from({ length: isTimed ? BUCKETS : 0 }, () => 0);
    const count = { minute: new Date(minute), subject, requests: 0, failures: 0, durations };
    this.counts.set(key, count);
    return count;
  }

  /** Merges counts that were not written with later ones. */
  private keep(counts: ReadonlyMap<string, MinuteCount>): void {
    const later = this.counts;
    this.counts = new BoundedMap(MAX_KEPT_COUNTS);
    for (const [key, count] of [...counts, ...later]) {
      const earlier = this.counts.get(key);
      if (earlier) addTo(earlier, count);
      else this.counts.set(key, count);
    }
  }
}

function addTo(count: MinuteCount, more: MinuteCount): void {
  count.requests += more.requests;
  count.failures += more.failures;
  count.durations = count.durations.map((number, place) => number + (more.durations[place] ?? 0));
}
