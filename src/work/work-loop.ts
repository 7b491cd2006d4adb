import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock, Database } from '../db/database.js';
import { unscoped } from '../db/scope.js';
import { OutageLogger } from '../errors/outage.js';
import { messageOf } from '../validation/unknown-values.js';
import { Engine } from './engine.js';
import { WorkKinds } from './kind.js';
import { Listener } from './listener.js';
import { WorkQueue } from './work-queue.js';

/** Longest time between polls: another process may have made a key due. */
const LOOK_EVERY_MS = 500;
/** Shortest time between polls: what ends or becomes due meanwhile shares one. */
const MIN_WAIT_MS = 10;
/** Notifications of a channel that come within this time wake its kinds once. */
const GATHER_MS = 50;

/** Drives the engine for as long as the process lives. Tests drive it themselves. */
@Injectable()
export class WorkLoop implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Work');
  private readonly outage = new OutageLogger(this.logger, 'Work waits');
  private isStarted = false;
  private isWoken = false;
  private looking: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private listener: Listener | null = null;
  /** Channels. */
  private readonly expediting = new Set<string>();

  constructor(
    private readonly engine: Engine,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly kinds: WorkKinds,
    private readonly queue: WorkQueue,
  ) {}

  /** Begins. Not before the process serves: work must not slow its start down. */
  start(): void {
    this.isStarted = true;
    const channels = new Set(this.kinds.all.flatMap(({ channel }) => channel ?? []));
    if (channels.size > 0)
      this.listener = new Listener(
        this.database.directUrl,
        [...channels],
        (channel) => void this.expedite(channel),
      );
    this.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStarted = false;
    clearTimeout(this.timer);
    await this.looking;
    await this.listener?.close();
    try {
      await this.engine.stop();
    } catch (error) {
      this.logger.warn(
        `The work of this process could not be released, and its lease expires: ${messageOf(error)}`,
      );
    }
  }

  /** Polls now, or as soon as the present poll has ended. */
  @Interval(LOOK_EVERY_MS)
  wake(): void {
    if (!this.isStarted) return;
    this.isWoken = true;
    // The caller may be a run: the claim of its next work is not one of its own writes.
    this.looking ??= unscoped(() => this.lookWhileWoken()).finally(() => (this.looking = null));
  }

  /** Makes the kinds of a channel due. Notifications that come meanwhile are about events that their run will see. */
  private async expedite(channel: string): Promise<void> {
    if (this.expediting.has(channel)) return;
    this.expediting.add(channel);
    await sleep(GATHER_MS, undefined, { ref: false });
    await this.wakeChannel(channel);
    this.expediting.delete(channel);
  }

  private async wakeChannel(channel: string): Promise<void> {
    if (!this.isStarted) return;
    try {
      for (const { name } of this.kinds.all.filter((kind) => kind.channel === channel))
        await this.queue.wake(this.database, name, [{ key: '' }]);
      this.wake();
    } catch {
      // The kind is due at its interval anyway.
    }
  }

  private async lookWhileWoken(): Promise<void> {
    while (this.isWoken && this.isStarted) {
      this.isWoken = false;
      await this.look();
      await sleep(MIN_WAIT_MS);
    }
  }

  private async look(): Promise<void> {
    this.listener?.ensure();
    try {
      const now = await this.clock.now();
      const { begun, nextDue } = await this.engine.step(now);
      for (const run of begun) void run.then(() => this.wake());
      this.outage.end();
      if (nextDue) this.wakeIn(nextDue.getTime() - now.getTime());
    } catch (error) {
      this.outage.begin(error);
    }
  }

  private wakeIn(ms: number): void {
    clearTimeout(this.timer);
    if (ms < LOOK_EVERY_MS) this.timer = setTimeout(() => this.wake(), Math.max(MIN_WAIT_MS, ms));
  }
}
