import { Body, Get, Post, Query, Redirect, UseGuards } from '@nestjs/common';
import { IsUUID } from 'class-validator';
import { randomUUID } from 'node:crypto';
import { AccountProblem } from '../../accounts/account-problem.js';
import type { Account } from '../../accounts/accounts.service.js';
import { Config } from '../../config/config.js';
import { Ledger } from '../../orders/ledger/ledger.repository.js';
import { refusal } from '../../orders/ledger/refusals.js';
import { TopUps } from '../../orders/topup/top-ups.js';
import { dollars, t } from '../../texts/texts.js';
import { FormPages, ProofGuard, SessionGuard, SignedIn } from './form-pages.js';
import { FormsInPlace } from './forms-in-place.js';
import { definePage, DoneQuery, noticeOf } from './page.js';

const refundPage = definePage('refund', { title: t.profile.titles.refund });

class RefundForm {
  /** New with each page: sent twice, the form refunds once. */
  @IsUUID(4, { message: t.forms.stale })
  submission: string;
}

/** A balance is refunded here, also where nothing can be ordered any more: an account with one cannot be deleted. */
@FormPages()
@UseGuards(SessionGuard)
export class RefundPageController {
  constructor(
    private readonly config: Config,
    private readonly ledger: Ledger,
    private readonly topUps: TopUps,
    inPlace: FormsInPlace,
  ) {
    inPlace.register('/profile/refund', (account) => this.show(account, {}));
  }

  @Get('profile/refund')
  async show(@SignedIn() { id }: Account, @Query() query: DoneQuery): Promise<string> {
    const { balanceCents, heldCents } = await this.ledger.balanceOf(id);
    const { cardCents, otherCents } = await this.topUps.readRefundable(id);
    const isOff = !this.config.orders.enabled && balanceCents === 0 && query.done === undefined;
    if (isOff) throw new AccountProblem(404, t.orders.noRefund);
    return refundPage({
      ...{ balance: dollars(balanceCents), held: dollars(heldCents), submission: randomUUID() },
      refundable: cardCents > 0 ? dollars(cardCents) : null,
      rest: otherCents > 0 ? dollars(otherCents) : null,
      notice: noticeOf(query),
    });
  }

  @Post('profile/refund')
  @UseGuards(ProofGuard)
  @Redirect('/profile/refund?done=refunded', 303)
  async refund(@SignedIn() account: Account, @Body() { submission }: RefundForm): Promise<void> {
    const wish = { key: `page:${submission}`, by: `session:${account.sessionId}` };
    if ((await this.topUps.refundAll(account.id, wish)) === 0)
      throw refusal('balance_short', 'nothingToRefund');
  }
}
