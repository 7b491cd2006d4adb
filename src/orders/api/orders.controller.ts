import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller, ownerOf } from '../../access/caller.js';
import { ApiRequiredKey, LOCATION_HEADER } from '../../access/idempotent-requests.js';
import { RequiresScope } from '../../access/requirements.js';
import { pageOf } from '../../domains/schema/page-cursor.js';
import { ApiFailures, ApiFailuresAs } from '../../errors/api-failures.decorator.js';
import { ACCOUNT_FAILURES, NAME_FAILURES } from '../../errors/error-codes.js';
import { JsonBodyGuard, NoParameters } from '../../errors/validation.pipe.js';
import { ProgramOrders } from '../mandates/program-orders.js';
import { OrderDesk } from '../order/order-desk.js';
import { ShownOrders } from '../order/shown-orders.js';
import {
  ListQuery,
  NameServersBody,
  numberOf,
  OrderBody,
  OrderConflict,
  OrderId,
  OrderList,
  OrderResult,
  QuoteBody,
  QuoteResult,
  RenewalBody,
  toOrderDto,
  toQuoteDto,
} from './orders.dto.js';

const REFUSALS = [
  ...NAME_FAILURES,
  ...([
    'not_eligible',
    'not_orderable',
    'registrar_unavailable',
    'ordering_stopped',
    'unsupported_media_type',
  ] as const),
] as const;

@ApiTags('Orders')
@Controller('api/v1')
@UseGuards(JsonBodyGuard)
export class OrdersController {
  constructor(
    private readonly desk: OrderDesk,
    private readonly programs: ProgramOrders,
    private readonly orders: ShownOrders,
  ) {}

  @Post('registrations/quote')
  @HttpCode(200)
  @RequiresScope('orders:quote')
  @ApiOperation({
    operationId: 'quoteRegistration',
    summary: 'The price of a registration',
    description:
      'What it costs with GST, whether the registrant may have the name, and what is to be accepted. Costs one ' +
      'record where the name has yet to drop.',
  })
  @ApiOkResponse({ type: QuoteResult, description: 'The quote.' })
  @ApiFailures(...ACCOUNT_FAILURES, ...REFUSALS, 'budget_exhausted')
  async quote(
    @Query() _: NoParameters,
    @Body() { domain, years, registrant }: QuoteBody,
    @CurrentCaller() caller: Caller,
  ): Promise<QuoteResult> {
    return toQuoteDto(await this.programs.price({ domain, years, registrantId: registrant }, caller));
  }

  @Post('registrations')
  @HttpCode(202)
  @RequiresScope('orders:place')
  @ApiOperation({
    operationId: 'placeRegistration',
    summary: 'Order a name',
    description:
      'Places the order. Within a mandate it is approved at once; any other is sent after a person of the account ' +
      'approved it, on its page or by the link in a mail.',
  })
  @ApiRequiredKey('order')
  @ApiAcceptedResponse({ type: OrderResult, description: 'The order.', headers: LOCATION_HEADER })
  @ApiFailuresAs(
    { 409: OrderConflict },
    ...ACCOUNT_FAILURES,
    ...REFUSALS,
    'balance_short',
    'price_changed',
    'quote_expired',
    'idempotency_conflict',
    'limit_reached',
    'order_closed',
  )
  async place(
    @Query() _: NoParameters,
    @Body() { quote, accept, name_servers }: OrderBody,
    @Headers('idempotency-key') key: string | undefined,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OrderResult> {
    const { order } = await this.programs.place(quote, accept, key, caller, name_servers);
    response.location(`/api/v1/registrations/${order.id}`);
    return { ok: true, order: toOrderDto(order) };
  }

  @Post('registrations/:id/renewal')
  @HttpCode(200)
  @RequiresScope('orders:quote')
  @ApiOperation({
    operationId: 'quoteRenewal',
    summary: 'The price of a renewal',
    description:
      'Of a name that is registered here, from 90 days before its end to 30 days after it. Order it with the token ' +
      'as any other.',
  })
  @ApiOkResponse({ type: QuoteResult, description: 'The quote.' })
  @ApiFailures(...ACCOUNT_FAILURES, ...REFUSALS, 'not_found', 'order_closed')
  async quoteRenewal(
    @Query() _: NoParameters,
    @Param() { id }: OrderId,
    @Body() { years }: RenewalBody,
    @CurrentCaller() caller: Caller,
  ): Promise<QuoteResult> {
    return toQuoteDto(await this.desk.quoteRenewal(id, years, ownerOf(caller)));
  }

  @Get('registrations')
  @RequiresScope('orders:read')
  @ApiOperation({
    operationId: 'listRegistrations',
    summary: 'Your orders',
    description: 'The newest first. Costs nothing.',
  })
  @ApiOkResponse({ type: OrderList, description: 'The orders.' })
  @ApiFailures(...ACCOUNT_FAILURES)
  async list(@Query() { limit, cursor }: ListQuery, @CurrentCaller() caller: Caller): Promise<OrderList> {
    const rows = await this.orders.list(ownerOf(caller), numberOf(cursor), limit + 1);
    const page = pageOf(rows, limit, ({ number }) => number);
    return { ok: true, results: page.rows.map(toOrderDto), next_cursor: page.next_cursor };
  }

  @Get('registrations/:id')
  @RequiresScope('orders:read')
  @ApiOperation({
    operationId: 'getRegistration',
    summary: 'One order',
    description: 'Where it stands. Costs nothing.',
  })
  @ApiOkResponse({ type: OrderResult, description: 'The order.' })
  @ApiFailures(...ACCOUNT_FAILURES, 'not_found')
  async read(
    @Query() _: NoParameters,
    @Param() { id }: OrderId,
    @CurrentCaller() caller: Caller,
  ): Promise<OrderResult> {
    return { ok: true, order: toOrderDto(await this.orders.read(id, ownerOf(caller))) };
  }

  @Post('registrations/:id/cancel')
  @HttpCode(200)
  @RequiresScope('orders:place')
  @ApiOperation({
    operationId: 'cancelRegistration',
    summary: 'Cancel an order',
    description:
      'As long as it was not sent; what was set aside is free again. What a person approved is cancelled by a ' +
      'person, or by the key that ordered it. Until `cancel_until` a registered name is given back by a person, or ' +
      'by the key that ordered it within a mandate; the registrar deletes it.',
  })
  @ApiOkResponse({ type: OrderResult, description: 'The order.' })
  @ApiFailures(...ACCOUNT_FAILURES, 'mandate_required', 'not_found', 'order_closed')
  async cancel(
    @Query() _: NoParameters,
    @Param() { id }: OrderId,
    @CurrentCaller() caller: Caller,
  ): Promise<OrderResult> {
    return { ok: true, order: toOrderDto(await this.programs.cancel(id, caller)) };
  }

  @Post('registrations/:id/name-servers')
  @HttpCode(200)
  @RequiresScope('orders:place')
  @ApiOperation({
    operationId: 'setNameServers',
    summary: 'Set the name servers of a registered name',
    description:
      'By the key that ordered it, or by a person on its page. Costs nothing. The same list again is the same wish. ' +
      'While `wished_name_servers` has them, the registrar gave no clear answer: it is asked until it has.',
  })
  @ApiOkResponse({ type: OrderResult, description: 'The order.' })
  @ApiFailures(
    ...ACCOUNT_FAILURES,
    'mandate_required',
    'not_found',
    'order_closed',
    'registrar_unavailable',
    'unsupported_media_type',
  )
  async setNameServers(
    @Query() _: NoParameters,
    @Param() { id }: OrderId,
    @Body() { name_servers }: NameServersBody,
    @CurrentCaller() caller: Caller,
  ): Promise<OrderResult> {
    return { ok: true, order: toOrderDto(await this.programs.setServers(id, name_servers, caller)) };
  }
}
