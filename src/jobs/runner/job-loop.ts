import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../db/clock.js';
import { Outage } from '../../errors/outage.js';
import { messageOf } from '../../validation/unknown-values.js';
import { JobRunner } from './job-runner.js';

/** Longest between two looks at what is due: another process's work may have made something due. */
const LOOK_EVERY_MS = 1_000;
/** The same for a process that does not hold the lease; with the lease itself, how late the work of a killed one goes on. */
const LOOK_FOR_LEASE_EVERY_MS = 5_000;
/** Shortest between two looks, whatever is due. */
const MIN_WAIT_MS = 5;

/** Lets the runner do what is due, from its start for as long as the process lives. Tests drive the runner themselves. */
@Injectable()
export class JobLoop implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private readonly holdUp = new Outage(this.logger, 'Jobs wait');
  private running: Promise<void> = Promise.resolve();
  private isStopping = false;
  private isAwake = false;
  private ring: () => void = () => undefined;

  constructor(
    private readonly runner: JobRunner,
    private readonly clock: Clock,
  ) {}

  /** Begins. Not before the process serves: what it does then does not slow the start down, and finds what the start brought. */
  start(): void {
    this.running = this.loop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.wake();
    await this.running;
    try {
      await this.runner.stop();
    } catch (error) {
      this.logger.warn(`The lease could not be given back, and ends by itself: ${messageOf(error)}`);
    }
  }

  private async loop(): Promise<void> {
    while (!this.isStopping) await this.wait(await this.look());
  }

  /** @returns how long until the next look, in milliseconds, unless a batch ends before */
  private async look(): Promise<number> {
    try {
      const now = await this.clock.now();
      const { isHolder, batches, nextDue } = await this.runner.startDue(now);
      for (const batch of batches) void batch.then(() => this.wake());
      this.holdUp.end();
      if (!isHolder) return LOOK_FOR_LEASE_EVERY_MS;
      return nextDue ? Math.min(LOOK_EVERY_MS, nextDue.getTime() - now.getTime()) : LOOK_EVERY_MS;
    } catch (error) {
      this.holdUp.begin(error);
      return LOOK_FOR_LEASE_EVERY_MS;
    }
  }

  private wake(): void {
    this.isAwake = true;
    this.ring();
  }

  private async wait(ms: number): Promise<void> {
    if (!this.isAwake)
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, Math.max(MIN_WAIT_MS, ms));
        this.ring = () => {
          clearTimeout(limit);
          resolve();
        };
      });
    this.isAwake = false;
  }
}
