import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller, ownerOf } from '../../access/caller.js';
import { ApiRequiredKey, LOCATION_HEADER } from '../../access/idempotent-requests.js';
import { RequiresScope } from '../../access/requirements.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { pageOf } from '../../domains/schema/page-cursor.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { ACCOUNT_FAILURES } from '../../errors/error-codes.js';
import { JsonBodyGuard, NoParameters } from '../../errors/validation.pipe.js';
import { refusal } from '../ledger/refusals.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { type TopUp, TopUpRepository } from '../topup/top-up.repository.js';
import { noTopUp, TopUps } from '../topup/top-ups.js';
import {
  BalanceResult,
  RefundBody,
  RefundId,
  RefundResult,
  StatementResult,
  toRefundDto,
  TopUpBody,
  TopUpId,
  TopUpList,
  TopUpResult,
  toStatementRow,
  toTopUpDto,
} from './balance.dto.js';
import { ListQuery, numberOf } from './orders.dto.js';
import { timeOrNull } from '../../validation/formats.js';

const SHOWN = 50;

@ApiTags('Orders')
@Controller('api/v1')
export class BalanceController {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly topUps: TopUpRepository,
  ) {}

  @Get('balance')
  @RequiresScope('orders:read')
  @ApiOperation({
    operationId: 'getBalance',
    summary: 'Your balance',
    description: 'In cents of AUD. Costs nothing.',
  })
  @ApiOkResponse({ type: BalanceResult, description: 'The balance.' })
  @ApiFailures(...ACCOUNT_FAILURES)
  async balance(@Query() _: NoParameters, @CurrentCaller() caller: Caller): Promise<BalanceResult> {
    const owner = ownerOf(caller);
    const { balanceCents, heldCents, freeCents, owedCents } = await this.ledger.balanceOf(owner);
    const waiting = await this.topUps.readWaiting(owner, await this.clock.now());
    return {
      ...{ ok: true, balance_cents: balanceCents, held_cents: heldCents },
      ...{ waiting_cents: waiting.cents, waiting_until: timeOrNull(waiting.until) },
      ...{ free_cents: freeCents, owed_cents: owedCents },
      is_frozen: await this.topUps.isFrozen(owner),
      is_play_money: this.config.payments.isPlayMoney,
    };
  }

  @Get('balance/statement')
  @RequiresScope('orders:read')
  @ApiOperation({
    operationId: 'getStatement',
    summary: 'Movements of your balance',
    description: 'The newest first. Costs nothing.',
  })
  @ApiOkResponse({ type: StatementResult, description: 'The movements.' })
  @ApiFailures(...ACCOUNT_FAILURES)
  async statement(
    @Query() { limit, cursor }: ListQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<StatementResult> {
    const rows = await this.ledger.statement(ownerOf(caller), numberOf(cursor), limit + 1);
    const page = pageOf(rows, limit, ({ id }) => id);
    return { ok: true, results: page.rows.map(toStatementRow), next_cursor: page.next_cursor };
  }
}

/** Where cards are taken. */
@ApiTags('Orders')
@Controller('api/v1/balance')
@UseGuards(JsonBodyGuard)
export class TopUpsController {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly topUps: TopUps,
    private readonly repository: TopUpRepository,
  ) {}

  @Post('top-ups')
  @HttpCode(201)
  @RequiresScope('orders:place')
  @ApiOperation({
    operationId: 'topUpBalance',
    summary: 'Top up your balance',
    description:
      'Opens a page of the card provider, where a person pays. The balance grows once the provider has said so.',
  })
  @ApiRequiredKey('top-up')
  @ApiCreatedResponse({
    ...{ type: TopUpResult, description: 'The top-up, with the page.', headers: LOCATION_HEADER },
  })
  @ApiFailures(
    ...ACCOUNT_FAILURES,
    ...([
      'account_frozen',
      'idempotency_conflict',
      'limit_reached',
      'payments_unavailable',
      'unsupported_media_type',
    ] as const),
  )
  async open(
    @Query() _: NoParameters,
    @Body() { cents }: TopUpBody,
    @Headers('idempotency-key') key: string | undefined,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TopUpResult> {
    const topUp = await this.topUps.open(ownerOf(caller), cents, key);
    response.location(`/api/v1/balance/top-ups/${topUp.id}`);
    return { ok: true, top_up: this.show(topUp, await this.clock.now()) };
  }

  @Get('top-ups')
  @RequiresScope('orders:read')
  @ApiOperation({
    operationId: 'listTopUps',
    summary: 'Your top-ups',
    description: `The latest ${SHOWN}, the newest first. Costs nothing.`,
  })
  @ApiOkResponse({ type: TopUpList, description: 'The top-ups.' })
  @ApiFailures(...ACCOUNT_FAILURES)
  async list(@Query() _: NoParameters, @CurrentCaller() caller: Caller): Promise<TopUpList> {
    const now = await this.clock.now();
    const rows = await this.repository.list(ownerOf(caller), SHOWN);
    return { ok: true, results: rows.map((row) => this.show(row, now)) };
  }

  @Get('top-ups/:id')
  @RequiresScope('orders:read')
  @ApiOperation({ operationId: 'getTopUp', summary: 'One top-up', description: 'Costs nothing.' })
  @ApiOkResponse({ type: TopUpResult, description: 'The top-up.' })
  @ApiFailures(...ACCOUNT_FAILURES, 'not_found')
  async read(
    @Query() _: NoParameters,
    @Param() { id }: TopUpId,
    @CurrentCaller() caller: Caller,
  ): Promise<TopUpResult> {
    const topUp = await this.repository.find(id);
    if (topUp?.accountId !== ownerOf(caller)) throw noTopUp();
    return { ok: true, top_up: this.show(topUp, await this.clock.now()) };
  }

  @Get('top-ups/:id/refunds/:refund')
  @RequiresScope('orders:read')
  @ApiOperation({ operationId: 'getRefund', summary: 'One refund', description: 'Costs nothing.' })
  @ApiOkResponse({ type: RefundResult, description: 'The refund.' })
  @ApiFailures(...ACCOUNT_FAILURES, 'not_found')
  async readRefund(
    @Query() _: NoParameters,
    @Param() { id, refund: asked }: RefundId,
    @CurrentCaller() caller: Caller,
  ): Promise<RefundResult> {
    const refund = await this.repository.findRefund(asked);
    if (refund?.topUpId !== id || refund.accountId !== ownerOf(caller))
      throw refusal('not_found', 'noRefund');
    return toRefundDto(refund);
  }

  @Post('top-ups/:id/refund')
  @HttpCode(202)
  @RequiresScope('orders:place')
  @ApiOperation({
    operationId: 'refundTopUp',
    summary: 'Have a top-up back',
    description: 'To the card that paid it: what is neither spent nor set aside for an order.',
  })
  @ApiRequiredKey('refund')
  @ApiAcceptedResponse({ type: RefundResult, description: 'The refund.', headers: LOCATION_HEADER })
  @ApiFailures(
    ...ACCOUNT_FAILURES,
    ...(['balance_short', 'idempotency_conflict', 'not_found', 'unsupported_media_type'] as const),
  )
  async refund(
    @Query() _: NoParameters,
    @Param() { id }: TopUpId,
    @Body() { cents }: RefundBody,
    @Headers('idempotency-key') key: string | undefined,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RefundResult> {
    const wish = { cents, key, by: `key:${caller.key?.id ?? ''}` };
    const refund = await this.topUps.refund(id, ownerOf(caller), wish);
    response.location(`/api/v1/balance/top-ups/${id}/refunds/${refund.id}`);
    return toRefundDto(refund);
  }

  private show(topUp: TopUp, now: Date) {
    return toTopUpDto(topUp, now, this.config.payments.isPlayMoney);
  }
}
