import { Body, Get, HttpCode, Param, Post, Query, Redirect, UseGuards } from '@nestjs/common';
import type { Account } from '../../accounts/accounts.service.js';
import type { Caller } from '../../access/caller.js';
import { TierGate } from '../../access/tier-gate.js';
import { Clock } from '../../db/database.js';
import { validationPipe, NoParameters } from '../../errors/validation.pipe.js';
import { Config } from '../../config/config.js';
import { Tiers } from '../../config/tiers.js';
import { DeliveriesService } from '../../notify/webhooks/deliveries.service.js';
import { DeliveriesQuery } from '../../notify/webhooks/delivery.dto.js';
import { NewWebhook, DeliveryAddress, WebhookId } from '../../notify/webhooks/webhook.dto.js';
import { WebhookProofsService } from '../../notify/webhooks/webhook-proofs.service.js';
import { WebhooksService } from '../../notify/webhooks/webhooks.service.js';
import { callerOf, FormPages, SessionGuard, SignedIn } from './form-pages.js';
import { FormsInPlace } from './forms-in-place.js';
import { LogQuery, ProofForm, ReplayForm, RotateForm, settingsIn, WebhookForm } from './forms.dto.js';
import { noticeOf } from './page.js';
import {
  noWebhooksPage,
  toLogRow,
  toWebhookRow,
  webhookListPage,
  webhookPage,
  webhookSecretPage,
} from './webhook-view.js';

const PATH = 'profile/webhooks';
const SEE_OTHER = 303;
const DAY_MS = 86_400_000;
const pipe = validationPipe();

interface Redirection {
  readonly url: string;
}
const to = (id: string, done: string): Redirection => ({ url: `/${PATH}/${id}?done=${done}` });

@FormPages()
@UseGuards(SessionGuard)
export class WebhooksPageController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveriesService,
    private readonly proofs: WebhookProofsService,
    private readonly gate: TierGate,
    private readonly tiers: Tiers,
    private readonly clock: Clock,
    private readonly config: Config,
    inPlace: FormsInPlace,
  ) {
    inPlace.register('/profile/webhooks', (account) => this.list(account, {}));
    inPlace.register('/profile/webhooks/:id', (account, { path }) =>
      this.show(account, { id: path.split('/')[3] ?? '' }, {}),
    );
  }

  @Get(PATH)
  async list(@SignedIn() account: Account, @Query() query: LogQuery): Promise<string> {
    const caller = callerOf(account, this.tiers.table);
    const list = caller.tier.webhooks ? await this.webhooks.listWebhooks(caller) : null;
    const rows = list && list.results.map(toWebhookRow);
    return webhookListPage(rows, noticeOf(query), this.config.orders.enabled);
  }

  @Post(PATH)
  @HttpCode(201)
  async make(@SignedIn() account: Account, @Body() form: WebhookForm): Promise<string> {
    const caller = this.admitted(account);
    const settings = (await pipe.transform(settingsIn(form), {
      type: 'body',
      metatype: NewWebhook,
    })) as NewWebhook;
    const { webhook, secret } = await this.webhooks.createWebhook(settings, undefined, caller);
    return webhookSecretPage({ id: webhook.id, secret });
  }

  @Get(`${PATH}/:id`)
  async show(
    @SignedIn() account: Account,
    @Param() { id }: WebhookId,
    @Query() query: LogQuery,
  ): Promise<string> {
    const caller = this.admitted(account);
    const { status, cursor } = query;
    const asked = cursor === undefined ? { ...(status && { status }) } : { cursor };
    const logQuery = (await pipe.transform(asked, {
      type: 'query',
      metatype: DeliveriesQuery,
    })) as DeliveriesQuery;
    const [{ webhook }, { proof }, log] = await Promise.all([
      this.webhooks.readWebhook(id, caller),
      this.proofs.readProof(id, caller),
      this.deliveries.listDeliveries(id, logQuery, caller),
    ]);
    const next =
      log.next_cursor && new URLSearchParams({ ...(status && { status }), cursor: log.next_cursor });
    return webhookPage({
      row: toWebhookRow(webhook),
      proof,
      isOn: webhook.enabled,
      reason: webhook.disabled_reason,
      log: log.results.map(toLogRow),
      status,
      next: next && `/${PATH}/${id}?${next.toString()}`,
      notice: noticeOf(query),
      isWaiting: query.done === 'under-way' && log.results.some((delivery) => delivery.status === 'pending'),
    });
  }

  @Post(`${PATH}/:id/pause`)
  @Redirect('', SEE_OTHER)
  async pause(@SignedIn() account: Account, @Param() { id }: WebhookId): Promise<Redirection> {
    await this.webhooks.changeWebhook(id, { enabled: false }, this.admitted(account));
    return to(id, 'paused');
  }

  @Post(`${PATH}/:id/resume`)
  @Redirect('', SEE_OTHER)
  async resume(@SignedIn() account: Account, @Param() { id }: WebhookId): Promise<Redirection> {
    await this.webhooks.changeWebhook(id, { enabled: true }, this.admitted(account));
    return to(id, 'resumed');
  }

  @Post(`${PATH}/:id/test`)
  @Redirect('', SEE_OTHER)
  async test(@SignedIn() account: Account, @Param() { id }: WebhookId): Promise<Redirection> {
    await this.deliveries.sendTest(id, this.admitted(account));
    return to(id, 'under-way');
  }

  @Post(`${PATH}/:id/prove`)
  @Redirect('', SEE_OTHER)
  async prove(
    @SignedIn() account: Account,
    @Param() { id }: WebhookId,
    @Body() form: ProofForm,
  ): Promise<Redirection> {
    await this.proofs.prove(id, form, this.admitted(account));
    return to(id, 'host-proven');
  }

  @Post(`${PATH}/:id/rotate`)
  @HttpCode(201)
  async rotate(
    @SignedIn() account: Account,
    @Param() { id }: WebhookId,
    @Body() { overlap_seconds }: RotateForm,
  ): Promise<string> {
    const rotation = { overlap_seconds: Number(overlap_seconds) };
    const { secret } = await this.webhooks.rotateSecret(id, rotation, this.admitted(account));
    return webhookSecretPage({ id, secret });
  }

  @Post(`${PATH}/:id/replay`)
  @Redirect('', SEE_OTHER)
  async replay(
    @SignedIn() account: Account,
    @Param() { id }: WebhookId,
    @Body() { days }: ReplayForm,
  ): Promise<Redirection> {
    const now = await this.clock.now();
    const since = new Date(now.getTime() - Number(days) * DAY_MS).toISOString();
    await this.deliveries.replay(id, { since }, this.admitted(account));
    return to(id, 'under-way');
  }

  @Post(`${PATH}/:id/deliveries/:delivery/redeliver`)
  @Redirect('', SEE_OTHER)
  async redeliver(
    @SignedIn() account: Account,
    @Param() { id, delivery }: DeliveryAddress,
  ): Promise<Redirection> {
    await this.deliveries.redeliver(id, delivery, this.admitted(account));
    return to(id, 'under-way');
  }

  @Post(`${PATH}/:id/delete`)
  @Redirect(`/${PATH}?done=webhook-removed`, SEE_OTHER)
  remove(@SignedIn() account: Account, @Param() { id }: WebhookId): Promise<void> {
    return this.webhooks.deleteWebhook(id, this.admitted(account));
  }

  /** @throws {ApiError} tier_required */
  private admitted(account: Account): Caller {
    const caller = callerOf(account, this.tiers.table);
    this.gate.assertIncluded(caller, (tier) => tier.webhooks, 'webhooks');
    return caller;
  }
}

/** While webhooks are switched off. */
@FormPages()
@UseGuards(SessionGuard)
export class NoWebhooksController {
  @Get('profile/webhooks')
  show(@Query() _: NoParameters): string {
    return noWebhooksPage({});
  }
}
