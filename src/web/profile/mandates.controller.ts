import { Body, Get, Ip, Param, Post, Query, Redirect, UseGuards } from '@nestjs/common';
import type { Account } from '../../accounts/accounts.service.js';
import { Clock } from '../../db/database.js';
import { SUFFIXES } from '../../domains/schema/domain.js';
import {
  type Mandate,
  type MandateState,
  OFFERED_MONTH_CENTS,
  OFFERED_ORDER_CENTS,
  stateOfMandate,
} from '../../orders/mandates/mandate.js';
import { MandateRepository, type NamedProgram } from '../../orders/mandates/mandate.repository.js';
import { Mandates } from '../../orders/mandates/mandates.js';
import { AGREEMENT_NAMES, AGREEMENTS } from '../../orders/order/agreements.js';
import { textHashOf } from '../../orders/order/quote-token.js';
import { RegistrantsService } from '../../orders/registrants/registrants.service.js';
import { dollars, t } from '../../texts/texts.js';
import { dayInWords } from '../layout/words.js';
import { actorOf, detailsOf } from './order-view.js';
import { FormPages, ProofGuard, SessionGuard, SignedIn } from './form-pages.js';
import { AcceptForm, MandateForm, MandatePath } from './forms.dto.js';
import { FormsInPlace } from './forms-in-place.js';
import { definePage, DoneQuery, noticeOf } from './page.js';

const DAY_MS = 86_400_000;
const CENTS = 100;
const [KEY, APP] = ['key:', 'app:'];

const mandatesPage = definePage('mandates', { title: t.profile.titles.mandates, section: '/profile/orders' });

/** What programs may order without asking. Only a person with a fresh proof says so. */
@FormPages()
@UseGuards(SessionGuard)
export class MandatesController {
  constructor(
    private readonly clock: Clock,
    private readonly mandates: Mandates,
    private readonly programs: MandateRepository,
    private readonly registrants: RegistrantsService,
    inPlace: FormsInPlace,
  ) {
    inPlace.register('/profile/mandates', (account) => this.list(account, {}));
  }

  @Get('profile/mandates')
  async list(@SignedIn() { id }: Account, @Query() query: DoneQuery): Promise<string> {
    const [mandates, { keys, apps }, registrants, now] = await Promise.all([
      this.mandates.list(id),
      this.programs.listPrograms(id),
      this.registrants.list(id),
      this.clock.now(),
    ]);
    const named = [
      ...keys.map((one) => ({ ...one, id: `${KEY}${one.id}` })),
      ...apps.map((one) => ({ ...one, id: `${APP}${one.id}` })),
    ];
    const holders = registrants.map(({ id: own, registrant }) => ({
      ...{ id: own, name: registrant?.legalName ?? t.ordering.unreadableName },
      offered: registrant && {
        value: `${own}.${textHashOf(registrant)}`,
        details: detailsOf(registrant),
      },
    }));
    return mandatesPage({
      rows: mandates.map((one) => rowOf(one, now, named, holders)),
      programs: named,
      holders: holders.filter(({ offered }) => offered !== null),
      suffixes: SUFFIXES,
      offered: { month: OFFERED_MONTH_CENTS / CENTS, order: OFFERED_ORDER_CENTS / CENTS },
      agreements: AGREEMENTS.map(({ text }) => text),
      accept: AGREEMENT_NAMES.join(','),
      notice: noticeOf(query),
    });
  }

  @Post('profile/mandates')
  @UseGuards(ProofGuard)
  @Redirect('/profile/mandates?done=mandate-made', 303)
  async make(@SignedIn() account: Account, @Body() form: MandateForm, @Ip() address: string): Promise<void> {
    const now = await this.clock.now();
    const idsOf = (kind: string) =>
      form.programs.filter((one) => one.startsWith(kind)).map((one) => one.slice(kind.length));
    const [registrantId = '', hash = ''] = form.registrant.split('.');
    const mandate = {
      ...{ registrantId, holder: Buffer.from(hash, 'base64url') },
      ...{ suffixes: form.suffixes, takesUnknown: form.unknown !== undefined },
      ...{ orderCents: form.order_limit * CENTS, monthCents: form.month_limit * CENTS },
      ...{ keyIds: idsOf(KEY), appIds: idsOf(APP) },
      expiresAt: new Date(now.getTime() + Number(form.days) * DAY_MS),
    };
    await this.mandates.make(mandate, form.accept, actorOf(account, address));
  }

  @Post('profile/mandates/:id/accept')
  @UseGuards(ProofGuard)
  @Redirect('/profile/mandates?done=mandate-accepted', 303)
  async accept(
    @SignedIn() account: Account,
    @Param() { id }: MandatePath,
    @Body() { accept }: AcceptForm,
    @Ip() address: string,
  ): Promise<void> {
    await this.mandates.accept(id, accept, actorOf(account, address));
  }

  /** Without a fresh proof: to end one is always safe. */
  @Post('profile/mandates/:id/end')
  @Redirect('/profile/mandates?done=mandate-ended', 303)
  async end(
    @SignedIn() account: Account,
    @Param() { id }: MandatePath,
    @Ip() address: string,
  ): Promise<void> {
    await this.mandates.end(id, actorOf(account, address));
  }
}

const STATES: Readonly<Record<MandateState, { readonly words: string; readonly tone: string }>> = {
  active: { words: t.mandates.active, tone: 'free' },
  suspended: { words: t.mandates.suspended, tone: 'wait' },
  expired: { words: t.mandates.expired, tone: 'unk' },
  ended: { words: t.mandates.ended, tone: 'unk' },
};

function rowOf(
  mandate: Mandate,
  now: Date,
  programs: readonly NamedProgram[],
  holders: readonly NamedProgram[],
): object {
  const state = stateOfMandate(mandate, now);
  const ids = [...mandate.keyIds.map((id) => `${KEY}${id}`), ...mandate.appIds.map((id) => `${APP}${id}`)];
  const named = (of: readonly NamedProgram[], id: string) =>
    of.find((one) => one.id === id)?.name ?? t.mandates.gone;
  return {
    ...{ id: mandate.id, state: STATES[state], isSuspended: state === 'suspended' },
    isOpen: state === 'active' || state === 'suspended',
    programs: ids.map((id) => named(programs, id)).join(', '),
    holder: named(holders, mandate.registrantId),
    suffixes: mandate.suffixes.map((suffix) => `.${suffix}`).join(' '),
    order: dollars(mandate.orderCents),
    month: dollars(mandate.monthCents),
    spent: dollars(mandate.spentCents),
    until: dayInWords(mandate.expiresAt.toISOString().slice(0, 10)),
  };
}
