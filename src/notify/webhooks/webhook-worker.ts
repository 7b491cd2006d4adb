import { WEBHOOK_KIND, WebhookLanes } from './webhook-lanes.js';
import { setMaxListeners } from 'node:events';
import { Injectable } from '@nestjs/common';
import { type TierName, Tiers } from '../../config/tiers.js';
import { Config } from '../../config/config.js';
import { LeaseLostError } from '../../db/database.js';
import { type Kind, type Work, WorkKinds, type WorkResult } from '../../work/kind.js';
import { WebhookOutbox } from './webhook-outbox.repository.js';
import { WebhookProofRepository } from './webhook-proof.repository.js';
import { SLOW_MS, tiersWithWebhooks } from './webhook.js';
import { DeliveryRepository } from './delivery.repository.js';
import { AttemptWriter, WebhookDeliverer } from './webhook-deliverer.js';
import { type LeasedWebhook, WebhookLeaseRepository } from './webhook-lease.repository.js';
import { WebhookMessages } from './webhook-message.js';

const MAX_WEBHOOKS = 64;
/** Places for webhooks that last failed or were slow. They mostly wait; the other places stay free. */
const MAX_SLOW = 48;
const MAX_AT_ONCE = 4;
/** Deliveries read at once; a change of the address is seen by the next that are read. */
const MAX_READ = 8;
/** After this long a webhook makes room for another. */
const TURN_MS = 5_000;
/** What writing the results takes at most, with time to spare. */
const WRITE_GRACE_MS = 10_000;
/** How often events are looked for by the clock; a notification comes first. */
const LOOK_EVERY_MS = 500;
const LOOK_FOR_IDLE_EVERY_MS = 5_000;
const HAND_OVER_DEADLINE_MS = 60_000;

/**
 * Delivers to webhooks, in the service or in a process of its own. A key is a webhook; a run drains its due
 * deliveries.
 */
@Injectable()
export class WebhookWorker implements Kind {
  readonly name = WEBHOOK_KIND;
  readonly atOnce = MAX_WEBHOOKS;
  readonly slowAtOnce = MAX_SLOW;
  readonly deadlineMs: number;
  readonly graceMs: number;
  private readonly tiers: readonly TierName[];

  constructor(
    private readonly outbox: WebhookOutbox,
    private readonly deliveries: DeliveryRepository,
    private readonly webhooks: WebhookLeaseRepository,
    private readonly messages: WebhookMessages,
    private readonly deliverer: WebhookDeliverer,
    private readonly proofs: WebhookProofRepository,
    private readonly lanes: WebhookLanes,
    private readonly config: Config,
    kinds: WorkKinds,
    { table }: Tiers,
  ) {
    this.tiers = tiersWithWebhooks(table);
    this.deadlineMs = TURN_MS + config.webhooks.timeoutMs + WRITE_GRACE_MS;
    this.graceMs = config.http.shutdownGraceMs + 1_000;
    kinds.add(
      this,
      {
        ...{ name: 'webhook-outbox', everyMs: LOOK_EVERY_MS, channel: 'domain_event' },
        deadlineMs: HAND_OVER_DEADLINE_MS,
        run: (_work, _now, signal) => this.handOver(signal),
      },
      {
        ...{ name: 'webhook-lanes', everyMs: LOOK_FOR_IDLE_EVERY_MS },
        run: async () => {
          await this.lanes.wakeIdle(this.tiers);
          return {};
        },
      },
    );
  }

  async run(
    { key: id, isSlow }: Work,
    _now: Date,
    signal: AbortSignal,
    markSlow: () => void,
  ): Promise<WorkResult> {
    const until = performance.now() + TURN_MS;
    const { cutOff, clear } = this.cutOffBehind(signal);
    try {
      let webhook = await this.webhooks.findReady(id, this.tiers);
      while (webhook?.isSlow === isSlow && !signal.aborted) {
        const isMore = await this.deliverDue(webhook, until, signal, cutOff, markSlow);
        if (!isMore || performance.now() >= until) break;
        webhook = await this.webhooks.findReady(id, this.tiers);
      }
      const next = await this.webhooks.findNext(id, this.tiers);
      return next ? { againInMs: next.inMs, isSlow: next.isSlow } : {};
    } finally {
      clear();
    }
  }

  private async handOver(signal: AbortSignal): Promise<WorkResult> {
    while (!signal.aborted && (await this.outbox.handOver()).isMore);
    return {};
  }

  /** Breaks off requests: at once when the key is lost, and otherwise after the grace of a shutdown. */
  private cutOffBehind(signal: AbortSignal): { cutOff: AbortSignal; clear: () => void } {
    const cut = new AbortController();
    setMaxListeners(0, cut.signal);
    let limit: NodeJS.Timeout | undefined;
    const begin = () => {
      const graceMs = signal.reason instanceof LeaseLostError ? 0 : this.config.http.shutdownGraceMs;
      limit = setTimeout(() => cut.abort(), graceMs);
    };
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin, { once: true });
    return { cutOff: cut.signal, clear: () => clearTimeout(limit) };
  }

  /** @returns whether more may be due at once */
  private async deliverDue(
    webhook: LeasedWebhook,
    until: number,
    signal: AbortSignal,
    cutOff: AbortSignal,
    markSlow: () => void,
  ): Promise<boolean> {
    const { unprovenPaceSeconds } = this.config.webhooks;
    const isPaced = !webhook.isProven && unprovenPaceSeconds > 0;
    if (isPaced && (await this.proofs.takeTurn(webhook.accountId, unprovenPaceSeconds, 'next_at')) > 0)
      return false;
    const due = await this.deliveries.listDue(webhook.id, isPaced ? 1 : MAX_READ);
    if (due.length === 0) return false;
    const events = await this.messages.readEvents(due);
    const writer = new AttemptWriter(this.deliveries, webhook);
    const open = [...due];
    const lane = async () => {
      for (let next = open.shift(); next; next = open.shift()) {
        if (signal.aborted || performance.now() >= until) return;
        const slow = setTimeout(markSlow, SLOW_MS);
        const isWell = await this.deliverer
          .attempt(next, webhook, events, writer, cutOff)
          .finally(() => clearTimeout(slow));
        // A receiver that fails or is slow is judged again before it gets more.
        if (!isWell) open.length = 0;
      }
    };
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, lane));
    await writer.flush();
    return !isPaced;
  }
}
