import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { setTimeout as pause } from 'node:timers/promises';
import { Config } from '../config/config.js';
import { DeliveryRepository, type HeldWebhook } from './delivery.repository.js';
import { EventWatch } from './event-watch.js';
import { WebhookDeliverer } from './webhook-deliverer.js';
import { WebhookOutbox } from './webhook-outbox.js';

/** Webhooks that one process delivers to at a time. */
const MOST_HELD = 32;
/** Of these, such as last failed: slow and broken receivers leave the rest to the others. */
const MOST_FAILING = 8;
/** Deliveries to one webhook at a time. */
const MOST_AT_ONCE = 4;
/** After this long a webhook makes room for another. */
const TURN_MS = 5_000;
/** How often the clock is looked at for retries; what is new is told at once. */
const LOOK_EVERY_MS = 500;
/** Beyond the time limit of a delivery: what writing it down may take. */
const HOLD_GRACE_SECONDS = 2;

/** Hands events over and delivers them, in the service or in a process of its own; as many processes as one likes. */
@Injectable()
export class WebhookWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly stopping = new AbortController();
  private readonly turns = new Set<Promise<void>>();
  private failing = 0;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly outbox: WebhookOutbox,
    private readonly deliveries: DeliveryRepository,
    private readonly deliverer: WebhookDeliverer,
    private readonly watch: EventWatch,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  /** Deliveries under way may end; those that do not in time are made again by whoever comes next. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.watch.wake();
    await this.running;
    const grace = new AbortController();
    await Promise.race([
      Promise.all(this.turns),
      pause(this.config.http.shutdownGraceMs, undefined, { signal: grace.signal, ref: false }).catch(
        () => undefined,
      ),
    ]);
    grace.abort();
    await this.watch.close();
  }

  @Cron(CronExpression.EVERY_HOUR)
  async removeOldDeliveries(): Promise<void> {
    try {
      const count = await this.deliveries.deleteOld();
      if (count > 0) this.logger.log(`Removed ${count} old deliveries`);
    } catch (error) {
      this.logger.warn(`Old deliveries were not removed: ${String(error)}`);
    }
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      let isMore = false;
      try {
        isMore = await this.outbox.handOver();
        await this.takeTurns();
      } catch (error) {
        this.logger.warn(`Webhooks wait: ${String(error)}`);
        isMore = false;
      }
      if (!isMore) await this.watch.wait(LOOK_EVERY_MS);
    }
  }

  private async takeTurns(): Promise<void> {
    const seconds = this.holdSeconds;
    const free = () => MOST_HELD - this.turns.size;
    if (free() > 0)
      for (const webhook of await this.deliveries.holdWebhooks(free(), seconds, false))
        this.start(webhook, false);
    const patience = Math.min(free(), MOST_FAILING - this.failing);
    if (patience > 0)
      for (const webhook of await this.deliveries.holdWebhooks(patience, seconds, true))
        this.start(webhook, true);
  }

  private start(webhook: HeldWebhook, isFailing: boolean): void {
    if (isFailing) this.failing += 1;
    const turn = this.serve(webhook)
      .catch((error: unknown) => this.logger.warn(`Webhook ${webhook.id} waits: ${String(error)}`))
      .finally(() => {
        if (isFailing) this.failing -= 1;
        this.turns.delete(turn);
        this.watch.wake();
      });
    this.turns.add(turn);
  }

  private async serve(webhook: HeldWebhook): Promise<void> {
    const end = performance.now() + TURN_MS;
    do {
      const due = await this.deliveries.listDue(webhook.id, MOST_AT_ONCE);
      if (due.length === 0) break;
      await Promise.all(due.map((delivery) => this.deliverer.attempt(delivery, webhook)));
    } while (
      performance.now() < end &&
      !this.stopping.signal.aborted &&
      (await this.deliveries.keepHolding(webhook.id, this.holdSeconds))
    );
    await this.deliveries.release(webhook.id);
  }

  private get holdSeconds(): number {
    return this.config.webhooks.timeoutMs / 1000 + HOLD_GRACE_SECONDS;
  }
}
