import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { setMaxListeners } from 'node:events';
import { Config } from '../../../config/config.js';
import { type TierName, Tiers } from '../../../config/tiers.js';
import { DeliveryRepository } from './delivery.repository.js';
import { EventWatch } from '../events/event-watch.js';
import { OutageLogger } from '../../../errors/outage.js';
import { SLOW_MS, tiersWithWebhooks } from '../webhook.js';
import { WebhookDeliverer } from './webhook-deliverer.js';
import { type LeasedWebhook, WebhookLeaseRepository } from './webhook-lease.repository.js';
import { WebhookOutbox } from '../events/webhook-outbox.js';
import { WebhookProofRepository } from '../proofs/webhook-proof.repository.js';

/** Webhooks that one process delivers to at a time. */
const MAX_LEASED = 64;
/** Of these, such as last failed or took their time. They wait more than they work; the rest stays free for the others. */
const MAX_SLOW = 48;
/** With those that fall silent while they are served, for the second until they are known for it. */
const MAX_IN_ALL = 256;
/** Deliveries to one webhook at a time. */
const MAX_AT_ONCE = 4;
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
  private readonly outage = new OutageLogger(this.logger, 'Webhooks wait');
  private readonly handOverOutage = new OutageLogger(this.logger, 'Events wait');
  private readonly stopping = new AbortController();
  /** Breaks off what is under way. */
  private readonly cutOff = new AbortController();
  private readonly turns = new Set<Promise<void>>();
  private slow = 0;
  private running: Promise<void> = Promise.resolve();
  private handingOver: Promise<void> | null = null;
  private isMoreToHandOver = false;
  private readonly tiers: readonly TierName[];

  constructor(
    private readonly outbox: WebhookOutbox,
    private readonly deliveries: DeliveryRepository,
    private readonly webhooks: WebhookLeaseRepository,
    private readonly deliverer: WebhookDeliverer,
    private readonly proofs: WebhookProofRepository,
    private readonly watch: EventWatch,
    private readonly config: Config,
    { table }: Tiers,
  ) {
    this.tiers = tiersWithWebhooks(table);
    // Each of many deliveries listens to it.
    setMaxListeners(0, this.cutOff.signal);
  }

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  /** Deliveries under way may end; those that do not in time are handed back, and made again by whoever comes next. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.watch.wake();
    await this.running;
    const limit = setTimeout(() => this.cutOff.abort(), this.config.http.shutdownGraceMs);
    await Promise.all(this.turns);
    clearTimeout(limit);
    await this.watch.close();
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.handOver();
      try {
        await this.takeTurns();
        this.outage.end();
      } catch (error) {
        this.outage.begin(error);
      }
      await this.watch.wait(LOOK_EVERY_MS);
    }
    await this.handingOver;
  }

  // Beside the deliveries, which do not wait for the end of a long file.
  private handOver(): void {
    this.isMoreToHandOver = true;
    this.handingOver ??= this.handOverAll().finally(() => {
      this.handingOver = null;
    });
  }

  private async handOverAll(): Promise<void> {
    while (this.isMoreToHandOver && !this.stopping.signal.aborted) {
      this.isMoreToHandOver = false;
      try {
        const { made, isMore } = await this.outbox.handOver();
        if (isMore) this.isMoreToHandOver = true;
        if (made > 0) this.watch.wake();
        this.handOverOutage.end();
      } catch (error) {
        this.handOverOutage.begin(error);
      }
    }
  }

  private async takeTurns(): Promise<void> {
    const seconds = this.leaseSeconds;
    const prompt = this.turns.size - this.slow;
    // Those that were taken for prompt and turned out to be slow take no more places than the slow ones have.
    const free = Math.min(MAX_LEASED - prompt - Math.min(this.slow, MAX_SLOW), MAX_IN_ALL - this.turns.size);
    if (free > 0)
      for (const webhook of await this.webhooks.leasePrompt(free, seconds, this.tiers)) this.start(webhook);
    const freeForSlow = Math.min(MAX_LEASED - this.turns.size, MAX_SLOW - this.slow);
    if (freeForSlow > 0)
      for (const webhook of await this.webhooks.leaseSlow(freeForSlow, seconds, this.tiers))
        this.start(webhook);
  }

  private start(webhook: LeasedWebhook): void {
    let isSlow = false;
    const markSlow = () => {
      if (isSlow) return;
      isSlow = true;
      this.slow += 1;
      this.watch.wake();
    };
    if (webhook.isSlow) markSlow();
    const turn = this.serve(webhook, markSlow)
      .catch((error: unknown) => this.logger.warn(`Webhook ${webhook.id} waits: ${String(error)}`))
      .finally(() => {
        if (isSlow) this.slow -= 1;
        this.turns.delete(turn);
        this.watch.wake();
      });
    this.turns.add(turn);
  }

  /**
   * Until nothing is due, its time is up, or it belongs with the others by now.
   *
   * @param markSlow told when its receiver takes its time
   */
  private async serve(leased: LeasedWebhook, markSlow: () => void): Promise<void> {
    const end = performance.now() + TURN_MS;
    let webhook: LeasedWebhook | null = leased;
    while (webhook?.isSlow === leased.isSlow) {
      const isMore = await this.deliverDue(webhook, markSlow);
      if (!isMore || performance.now() >= end || this.stopping.signal.aborted) break;
      webhook = await this.webhooks.renewLease(leased.id, this.leaseSeconds);
    }
    await this.webhooks.release(leased.id);
  }

  private async deliverDue(webhook: LeasedWebhook, markSlow: () => void): Promise<boolean> {
    const { unprovenPaceSeconds } = this.config.webhooks;
    const isPaced = !webhook.isProven && unprovenPaceSeconds > 0;
    if (isPaced && !(await this.proofs.takeTurn(webhook.accountId, unprovenPaceSeconds))) return false;
    const due = await this.deliveries.listDue(webhook.id, isPaced ? 1 : MAX_AT_ONCE);
    const limit = setTimeout(markSlow, SLOW_MS);
    try {
      await Promise.all(due.map((delivery) => this.deliverer.attempt(delivery, webhook, this.cutOff.signal)));
    } finally {
      clearTimeout(limit);
    }
    return due.length > 0 && !isPaced;
  }

  private get leaseSeconds(): number {
    return this.config.webhooks.timeoutMs / 1000 + HOLD_GRACE_SECONDS;
  }
}
