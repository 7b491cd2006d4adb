import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { type Caller, CurrentCaller, ownerOf } from '../../access/caller.js';
import { ApiRequiredKey } from '../../access/idempotent-requests.js';
import { RequiresScope } from '../../access/requirements.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { pageOf } from '../../domains/schema/page-cursor.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { ACCOUNT_FAILURES } from '../../errors/error-codes.js';
import { JsonBodyGuard, NoParameters } from '../../errors/validation.pipe.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { type TopUp, TopUpRepository } from '../topup/top-up.repository.js';
import { TopUps } from '../topup/top-ups.js';
import {
  BalanceResult,
  RefundBody,
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
  @ApiCreatedResponse({ type: TopUpResult, description: 'The top-up, with the page.' })
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
  ): Promise<TopUpResult> {
    const topUp = await this.topUps.open(ownerOf(caller), cents, key);
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

  @Post('top-ups/:id/refund')
  @HttpCode(202)
  @RequiresScope('orders:place')
  @ApiOperation({
    operationId: 'refundTopUp',
    summary: 'Have a top-up back',
    description: 'To the card that paid it: what is neither spent nor set aside for an order.',
  })
  @ApiRequiredKey('refund')
  @ApiAcceptedResponse({ type: RefundResult, description: 'The refund.' })
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
  ): Promise<RefundResult> {
    const wish = { cents, key, by: `key:${caller.key?.id ?? ''}` };
    return toRefundDto(await this.topUps.refund(id, ownerOf(caller), wish));
  }

  private show(topUp: TopUp, now: Date) {
    return toTopUpDto(topUp, now, this.config.payments.isPlayMoney);
  }
}
