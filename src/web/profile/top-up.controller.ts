import { Body, HttpCode, Post, UseGuards } from '@nestjs/common';
import { IsUUID } from 'class-validator';
import type { Account } from '../../accounts/accounts.service.js';
import { refusal } from '../../orders/ledger/refusals.js';
import { TopUps } from '../../orders/topup/top-ups.js';
import { dollars, t } from '../../texts/texts.js';
import { IsIntegerFrom } from '../../validation/shape.js';
import { FormPages, SessionGuard, SignedIn } from './form-pages.js';
import { definePage } from './page.js';

const MAX_DOLLARS = 100_000;
const CENTS = 100;

const topUpPage = definePage('top-up', { title: t.profile.titles.topUp, section: '/profile/orders' });

class TopUpForm {
  /** In dollars. */
  @IsIntegerFrom(1, MAX_DOLLARS)
  amount: number;

  /** New with each page: sent twice, the form opens one page. */
  @IsUUID(4, { message: t.forms.stale })
  submission: string;
}

/** Where cards are taken: a person is led to the page of the card provider. */
@FormPages()
@UseGuards(SessionGuard)
export class TopUpPageController {
  constructor(private readonly topUps: TopUps) {}

  /** A page with a link: forms of this site lead to no other. */
  @Post('profile/top-up')
  @HttpCode(200)
  async open(@SignedIn() { id }: Account, @Body() { amount, submission }: TopUpForm): Promise<string> {
    const { checkoutUrl, cents } = await this.topUps.open(id, amount * CENTS, `page:${submission}`);
    if (checkoutUrl === null) throw refusal('invalid_parameter', 'cardPageEnded');
    return topUpPage({ href: checkoutUrl, amount: dollars(cents) });
  }
}
