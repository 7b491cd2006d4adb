import { dollars, t } from '../../texts/texts.js';
import {
  Body,
  Get,
  HttpCode,
  Ip,
  Param,
  Post,
  Query,
  Redirect,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Account } from '../../accounts/accounts.service.js';
import { Passkeys } from '../../accounts/passkeys.service.js';
import { StepUp } from '../../accounts/step-up.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { unscoped } from '../../db/scope.js';
import { type Page, pageOf } from '../../domains/schema/page-cursor.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { Ledger, type StatementRow } from '../../orders/ledger/ledger.repository.js';
import { ApprovalLinks } from '../../orders/mandates/approval-links.js';
import { ApprovalPasskeys } from '../../orders/mandates/approval-passkeys.js';
import type { WithApproval } from '../../orders/order/order-actors.js';
import { OrderDesk } from '../../orders/order/order-desk.js';
import { type Order, orderIs, OrderRepository } from '../../orders/order/order.repository.js';
import { OrderPrices } from '../../orders/order/order-prices.js';
import { hostsIn } from '../../orders/order/name-servers.js';
import { RegisteredNames } from '../../orders/order/registered-names.js';
import { Renewals } from '../../orders/order/renewals.js';
import { hashOfTerms } from '../../orders/order/quote-token.js';
import { titleOf } from '../../orders/receipts/receipt.js';
import { ReceiptRepository } from '../../orders/receipts/receipt.repository.js';
import { ShownOrders } from '../../orders/order/shown-orders.js';
import { wordsOf } from '../../orders/order/order-words.js';
import { csvLine } from '../../validation/formats.js';
import { momentInWords } from '../layout/words.js';
import { actorOf, endToRenew, orderView } from './order-view.js';
import { FormPages, ProofGuard, SessionGuard, SignedIn } from './form-pages.js';
import { FormsInPlace } from './forms-in-place.js';
import {
  ApprovalQuery,
  ApproveForm,
  NameServersForm,
  OrderPath,
  OrdersQuery,
  RenewalForm,
} from './forms.dto.js';
import { definePage, DoneQuery, noticeOf } from './page.js';

/** Rows of each list of a page. */
const SHOWN = 50;
/** Rows that are read at once for the statement as a file. */
const PART_OF_STATEMENT = 1_000;

const ordersPage = definePage('orders', { title: t.profile.titles.orders, section: '/profile/orders' });
const orderPage = definePage('order', {
  title: t.profile.titles.order,
  section: '/profile/orders',
  takesPasskeys: true,
});

/** The balance and the orders of an account. Only here, by a person with a fresh proof, is an order approved. */
@FormPages()
@UseGuards(SessionGuard)
export class OrderPagesController {
  constructor(
    private readonly config: Config,
    private readonly desk: OrderDesk,
    private readonly orders: OrderRepository,
    private readonly shown: ShownOrders,
    private readonly ledger: Ledger,
    private readonly links: ApprovalLinks,
    private readonly proofs: ApprovalPasskeys,
    private readonly passkeys: Passkeys,
    private readonly stepUp: StepUp,
    private readonly renewals: Renewals,
    private readonly prices: OrderPrices,
    private readonly names: RegisteredNames,
    private readonly receipts: ReceiptRepository,
    private readonly clock: Clock,
    inPlace: FormsInPlace,
  ) {
    inPlace.register('/profile/top-up', (account) => this.list(account, {}));
    inPlace.register('/profile/orders/:id', (account, { path }) =>
      this.show(account, { id: path.split('/')[3] ?? '' }, {}),
    );
  }

  @Get('profile/orders')
  async list(@SignedIn() { id }: Account, @Query() query: OrdersQuery): Promise<string> {
    const [balance, orders, movements] = await Promise.all([
      this.ledger.balanceOf(id),
      this.shown.list(id, query.orders ?? null, SHOWN + 1),
      this.ledger.statement(id, query.movements ?? null, SHOWN + 1),
    ]);
    return ordersPage({
      balance: dollars(balance.balanceCents),
      held: dollars(balance.heldCents),
      free: dollars(balance.freeCents),
      owed: balance.owedCents > 0 ? dollars(balance.owedCents) : null,
      orders: listOf(
        'orders',
        query,
        pageOf(orders.map(rowOf), SHOWN, ({ number }) => number),
      ),
      movements: listOf(
        'movements',
        query,
        pageOf(movements.map(movementOf), SHOWN, (row) => row.id),
      ),
      takesCards: this.config.payments.cards !== undefined,
      submission: randomUUID(),
      notice: noticeOf(query),
    });
  }

  @Get('profile/statement.csv')
  async download(@SignedIn() { id }: Account, @Query() _: NoParameters): Promise<StreamableFile> {
    // An error before the first row is a page.
    const newest = await this.ledger.statement(id, null, PART_OF_STATEMENT);
    return new StreamableFile(Readable.from(this.statement(id, newest)), {
      type: 'text/csv; charset=utf-8',
      disposition: 'attachment; filename="bowerbird-statement.csv"',
    });
  }

  /** Every movement, the newest first. The reader's time is not the request's: a slow download goes on. */
  private async *statement(accountId: string, newest: readonly StatementRow[]): AsyncGenerator<string> {
    yield csvLine(['number', 'at', 'kind', 'words', 'cents', 'balance_cents', 'receipt']);
    for (let rows = newest, last = rows.at(-1); last; last = rows.at(-1)) {
      yield rows
        .map(({ id, at, kind, words, cents, balanceCents, receipt }) =>
          csvLine([id, at.toISOString(), kind, words, cents, balanceCents, receipt]),
        )
        .join('');
      const { id: before } = last;
      rows = await unscoped(() => this.ledger.statement(accountId, before, PART_OF_STATEMENT));
    }
  }

  /** Where a mailed link leads: a button, as programs that scan mail follow links. */
  @Get('profile/orders/approve')
  async open(@SignedIn() { id }: Account, @Query() { token }: ApprovalQuery): Promise<string> {
    return this.page(await this.links.open(token, id), { token });
  }

  @Get('profile/orders/:id')
  async show(
    @SignedIn() { id: accountId }: Account,
    @Param() { id }: OrderPath,
    @Query() query: DoneQuery,
  ): Promise<string> {
    const order = await this.shown.read(id, accountId);
    // The page may be loaded again when more has happened.
    const isOld = query.done === 'order-approved' && !orderIs(order, 'waits');
    return this.page(order, { notice: isOld ? undefined : noticeOf(query) });
  }

  /** For passkeys.js. */
  @Post('profile/orders/:id/approve/options')
  @HttpCode(200)
  async ask(
    @SignedIn() { id: accountId }: Account,
    @Param() { id }: OrderPath,
    @Ip() address: string,
  ): Promise<object> {
    return this.proofs.ask(await this.desk.read(id, accountId), address);
  }

  /** By a passkey, by the link of a mail, or by a session that has proved its account holder. */
  @Post('profile/orders/:id/approve')
  @Redirect('', 303)
  async approve(
    @SignedIn() account: Account,
    @Param() { id }: OrderPath,
    @Body() form: ApproveForm,
    @Ip() address: string,
  ): Promise<{ url: string }> {
    const link = await this.linkOf(account, id, form);
    await this.desk.approve(id, form.accept, actorOf(account, address), {
      terms: form.terms,
      ...(link && { also: link }),
    });
    return { url: `/profile/orders/${id}?done=order-approved` };
  }

  private async linkOf(
    account: Account,
    id: string,
    { token, response = '' }: ApproveForm,
  ): Promise<WithApproval | null> {
    if (response !== '') return this.proofs.verify(response, await this.desk.read(id, account.id));
    if (token !== undefined) return (transaction, facts) => this.links.use(token, transaction, facts);
    await this.stepUp.assertProven(account);
    return null;
  }

  @Post('profile/orders/:id/cancel')
  @Redirect('', 303)
  async cancel(@SignedIn() account: Account, @Param() { id }: OrderPath): Promise<{ url: string }> {
    const { state } = await this.desk.cancel(id, account.id);
    const done = state === 'registered' ? 'order-given-back' : 'order-cancelled';
    return { url: `/profile/orders/${id}?done=${done}` };
  }

  @Post('profile/orders/:id/name-servers')
  @UseGuards(ProofGuard)
  @Redirect('', 303)
  async setServers(
    @SignedIn() account: Account,
    @Param() { id }: OrderPath,
    @Body() { name_servers }: NameServersForm,
  ): Promise<{ url: string }> {
    const { wishedServers } = await this.names.setServers(id, hostsIn(name_servers), account.id);
    return { url: `/profile/orders/${id}${wishedServers ? '' : '?done=order-delegated'}` };
  }

  /** By a person with a fresh proof: the name is renewed by itself, or not any more. */
  @Post('profile/orders/:id/renewal')
  @UseGuards(ProofGuard)
  @Redirect('', 303)
  async renew(
    @SignedIn() account: Account,
    @Param() { id }: OrderPath,
    @Body() { accept, renew_for: maxCents }: RenewalForm,
    @Ip() address: string,
  ): Promise<{ url: string }> {
    const given = accept.length > 0 ? { accept, maxCents } : null;
    await this.renewals.setConsent(id, given, actorOf(account, address));
    return { url: `/profile/orders/${id}?done=order-${given ? 'renews' : 'ends'}` };
  }

  private async page(order: Order, view: { token?: string; notice?: string | undefined }): Promise<string> {
    const { id, accountId, state } = order;
    const isOpen = state === 'awaiting_approval';
    const [now, progress, balance, holder, consent, receipts, byPasskey] = await Promise.all([
      this.clock.now(),
      this.orders.readProgress(id),
      this.ledger.balanceOf(accountId),
      this.orders.findHolder(id),
      this.renewals.findConsent(id),
      this.receipts.listOfOrder(accountId, id),
      isOpen && this.passkeys.isReady(accountId),
    ]);
    const registrant = holder?.registrant ?? null;
    const terms = isOpen && holder ? hashOfTerms(order, holder.registrant).toString('hex') : null;
    const renewalCents =
      consent || !endToRenew(order, now) ? null : await this.prices.shownYearOfRenewal(order);
    const facts = { order, progress, registrant, terms, freeCents: balance.freeCents, now, consent };
    return orderPage({
      ...orderView({
        ...facts,
        renewalCents,
        token: view.token ?? null,
        takesServers: this.names.takesServers(order),
      }),
      receipts: receipts.map((one) => ({ number: one.number, title: t.receipts.titles[titleOf(one)] })),
      byPasskey,
      notice: view.notice,
    });
  }
}

/** A list and the links to its other pages, which keep the place in the other list. */
function listOf(list: keyof typeof t.orders.pages, query: OrdersQuery, page: Page<object>): object {
  const { older, newest } = t.orders.pages[list];
  const { orders, movements } = query;
  const linkTo = (words: string, before?: string) => {
    const places = Object.entries({ orders, movements, [list]: before });
    const given = places.filter((one): one is [string, string] => one[1] !== undefined);
    return { words, href: `/profile/orders?${new URLSearchParams(given).toString()}#${list}` };
  };
  const links = [
    ...(query[list] === undefined ? [] : [linkTo(newest)]),
    ...(page.next_cursor === null ? [] : [linkTo(older, page.next_cursor)]),
  ];
  return { rows: page.rows, isOlder: query[list] !== undefined, links };
}

function rowOf(order: Order) {
  const { id, number, domain, totalCents, placedAt } = order;
  const { chip, tone } = wordsOf(order);
  return { id, number, domain, total: dollars(totalCents), chip, tone, placed: momentInWords(placedAt) };
}

function movementOf({ id, at, kind, words, cents, balanceCents, receipt }: StatementRow) {
  return {
    id,
    at: momentInWords(at),
    words: `${t.orders.movements[kind]}: ${words}`,
    amount: dollars(cents),
    balance: dollars(balanceCents),
    receipt,
  };
}
