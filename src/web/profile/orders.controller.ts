import { Body, Get, Header, Ip, Param, Post, Query, Redirect, UseGuards } from '@nestjs/common';
import type { Account } from '../../accounts/accounts.service.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { Ledger, type StatementRow, TRANSACTION_KINDS } from '../../orders/ledger/ledger.repository.js';
import { agreementName, AGREEMENTS } from '../../orders/order/agreements.js';
import { OrderDesk } from '../../orders/order/order-desk.js';
import { type Order, OrderRepository } from '../../orders/order/order.repository.js';
import { ORDER_STATES } from '../../orders/order/order-states.js';
import { csvLine } from '../../validation/formats.js';
import { FormPages, ProofGuard, SessionGuard, SignedIn } from './form-pages.js';
import { ApproveForm, OrderPath } from './forms.dto.js';
import { definePage, DoneQuery, noticeOf } from './page.js';

const SHOWN = 50;
/** Rows of the statement as a file. */
const MAX_STATEMENT = 10_000;

const ordersPage = definePage('orders', { title: 'Orders and balance' });
const orderPage = definePage('order', { title: 'Order' });

/** The balance and the orders of an account. Only here, by a person with a fresh proof, is an order approved. */
@FormPages()
@UseGuards(SessionGuard)
export class OrderPagesController {
  constructor(
    private readonly desk: OrderDesk,
    private readonly orders: OrderRepository,
    private readonly ledger: Ledger,
  ) {}

  @Get('profile/orders')
  async list(@SignedIn() { id }: Account, @Query() query: DoneQuery): Promise<string> {
    const [balance, rows, movements] = await Promise.all([
      this.ledger.balanceOf(id),
      this.orders.list(id, null, SHOWN),
      this.ledger.statement(id, null, SHOWN),
    ]);
    return ordersPage({
      balance: dollars(balance.balanceCents),
      held: dollars(balance.heldCents),
      free: dollars(balance.freeCents),
      owed: balance.owedCents > 0 ? dollars(balance.owedCents) : null,
      rows: rows.map(rowOf),
      movements: movements.map(movementOf),
      notice: noticeOf(query),
    });
  }

  @Get('profile/statement.csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  @Header('Content-Disposition', 'attachment; filename="bowerbird-statement.csv"')
  async download(@SignedIn() { id }: Account, @Query() _: NoParameters): Promise<string> {
    const rows = await this.ledger.statement(id, null, MAX_STATEMENT);
    const head = ['number', 'at', 'kind', 'words', 'cents', 'balance_cents'];
    const lines = rows.map(({ id: number, at, kind, words, cents, balanceCents }) =>
      csvLine([number, at.toISOString(), kind, words, cents, balanceCents]),
    );
    return csvLine(head) + lines.join('');
  }

  @Get('profile/orders/:id')
  async show(
    @SignedIn() { id: accountId }: Account,
    @Param() { id }: OrderPath,
    @Query() query: DoneQuery,
  ): Promise<string> {
    const order = await this.desk.read(id, accountId);
    const { words, is } = ORDER_STATES[order.state];
    const isOpen = order.state === 'awaiting_approval';
    return orderPage({
      ...{ id, number: order.number, domain: order.domain, registrar: order.registrar, reason: order.reason },
      ...{ words, isAsking: is === 'live', total: dollars(order.totalCents) },
      term: order.years === 1 ? '1 year' : `${order.years} years`,
      placed: inWords(order.placedAt),
      lapses: is === 'waits' ? inWords(order.lapsesAt) : null,
      approved: order.approvedAt && inWords(order.approvedAt),
      settled: order.settledAt && inWords(order.settledAt),
      until: order.expiresAt && inWords(order.expiresAt),
      agreements: isOpen ? AGREEMENTS.map((one) => ({ name: agreementName(one), text: one.text })) : [],
      isCancellable: is === 'waits',
      notice: noticeOf(query),
    });
  }

  @Post('profile/orders/:id/approve')
  @UseGuards(ProofGuard)
  @Redirect('', 303)
  async approve(
    @SignedIn() { id: accountId, sessionId }: Account,
    @Param() { id }: OrderPath,
    @Body() { accept }: ApproveForm,
    @Ip() address: string,
  ): Promise<{ url: string }> {
    await this.desk.approve(id, accept, { accountId, by: `session:${sessionId}`, from: address });
    return { url: `/profile/orders/${id}?done=order-approved` };
  }

  @Post('profile/orders/:id/cancel')
  @Redirect('', 303)
  async cancel(@SignedIn() account: Account, @Param() { id }: OrderPath): Promise<{ url: string }> {
    await this.desk.cancel(id, account.id);
    return { url: `/profile/orders/${id}?done=order-cancelled` };
  }
}

function rowOf({ id, number, domain, totalCents, state, placedAt }: Order): object {
  const { words } = ORDER_STATES[state];
  return { id, number, domain, total: dollars(totalCents), state: words, placed: inWords(placedAt) };
}

function movementOf({ at, kind, words, cents, balanceCents }: StatementRow): object {
  return {
    at: inWords(at),
    words: `${TRANSACTION_KINDS[kind]}: ${words}`,
    amount: dollars(cents),
    balance: dollars(balanceCents),
  };
}

/** `A$ 24.00`. */
function dollars(cents: number): string {
  const text = `A$ ${(Math.abs(cents) / 100).toFixed(2)}`;
  return cents < 0 ? `−${text}` : text;
}

/** To the minute: `2026-11-20 10:05 UTC`. */
function inWords(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
