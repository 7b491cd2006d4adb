import { Body, Get, Param, Post, Query, Redirect, UseGuards } from '@nestjs/common';
import { Transform } from 'class-transformer';
import type { Account } from '../../accounts/accounts.service.js';
import { Tiers } from '../../config/tiers.js';
import { ELIGIBILITY_TYPES } from '../../orders/eligibility/eligibility.service.js';
import { AUSTRALIAN_STATES } from '../../orders/registrar/port.js';
import {
  bodyOf,
  NewRegistrantBody,
  readRegistrant,
  RegistrantId,
} from '../../orders/registrants/registrant.dto.js';
import { type RegistrantProfile, sortReadable } from '../../orders/registrants/registrant.repository.js';
import { RegistrantsService } from '../../orders/registrants/registrants.service.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { fillIn, t } from '../../texts/texts.js';
import { momentInWords } from '../layout/words.js';
import { callerOf, FormPages, ProofGuard, SessionGuard, SignedIn } from './form-pages.js';
import { FormsInPlace } from './forms-in-place.js';
import { definePage, DoneQuery, noticeOf } from './page.js';

const LIST = '/profile/registrants';

const registrantsPage = definePage('registrants', {
  title: t.profile.titles.registrants,
  section: '/profile/orders',
});
const registrantPage = definePage('registrant', {
  title: t.profile.titles.registrant,
  section: '/profile/orders',
});

class RegistrantForm extends NewRegistrantBody {
  // Two fields of one name; an empty second line is none.
  @Transform(({ value }: { value: unknown }) =>
    [value].flat().filter((line) => typeof line !== 'string' || line.trim() !== ''),
  )
  declare street: string[];
}

/** The registrants of an account: the customer is the registrant, always. */
@FormPages()
@UseGuards(SessionGuard)
export class RegistrantPagesController {
  constructor(
    private readonly registrants: RegistrantsService,
    private readonly tiers: Tiers,
    inPlace: FormsInPlace,
  ) {
    inPlace.register(LIST, (account) => this.list(account, {}));
    inPlace.register(`${LIST}/:id`, (account, { path }) =>
      this.show(account, { id: path.split('/')[3] ?? '' }, {}),
    );
  }

  @Get('profile/registrants')
  async list(@SignedIn() { id }: Account, @Query() query: DoneQuery): Promise<string> {
    const { readable, unreadable } = sortReadable(await this.registrants.list(id));
    return registrantsPage({
      rows: readable.map(rowOf),
      unreadable: unreadable.map(({ id: own, createdAt }) => ({ id: own, words: unreadableOf(createdAt) })),
      ...FORM,
      action: LIST,
      notice: noticeOf(query),
    });
  }

  @Get('profile/registrants/:id')
  async show(
    @SignedIn() account: Account,
    @Param() { id }: RegistrantId,
    @Query() _: NoParameters,
  ): Promise<string> {
    const { registrant, createdAt } = await this.registrants.find(account.id, id);
    return registrantPage({
      ...{ id, ...FORM, value: registrant && bodyOf(registrant), action: `${LIST}/${id}` },
      unreadable: registrant ? null : unreadableOf(createdAt),
    });
  }

  @Post('profile/registrants')
  @UseGuards(ProofGuard)
  @Redirect(`${LIST}?done=registrant-saved`, 303)
  async add(@SignedIn() account: Account, @Body() form: RegistrantForm): Promise<void> {
    await this.registrants.add(readRegistrant(form), this.customerOf(account));
  }

  @Post('profile/registrants/:id')
  @UseGuards(ProofGuard)
  @Redirect(`${LIST}?done=registrant-saved`, 303)
  async change(
    @SignedIn() account: Account,
    @Param() { id }: RegistrantId,
    @Body() form: RegistrantForm,
  ): Promise<void> {
    await this.registrants.change(id, readRegistrant(form), this.customerOf(account));
  }

  @Post('profile/registrants/:id/remove')
  @UseGuards(ProofGuard)
  @Redirect(`${LIST}?done=registrant-removed`, 303)
  async remove(@SignedIn() account: Account, @Param() { id }: RegistrantId): Promise<void> {
    await this.registrants.remove(id, this.customerOf(account));
  }

  private customerOf(account: Account): { caller: ReturnType<typeof callerOf>; accountId: string } {
    return { caller: callerOf(account, this.tiers.table), accountId: account.id };
  }
}

const FORM = { types: ELIGIBILITY_TYPES, states: AUSTRALIAN_STATES, value: null, button: t.ordering.save };

const unreadableOf = (added: Date) => fillIn(t.ordering.unreadable, { added: momentInWords(added) });

function rowOf({ id, registrant }: RegistrantProfile): object {
  const { legalName, idType, id: number, eligibilityType, contact } = registrant;
  const { name, email, street, city, state, postcode } = contact;
  return {
    ...{ id, name: legalName, number: `${idType} ${number}`, type: eligibilityType },
    contact: `${name}, ${email}`,
    address: [...street, `${city} ${state} ${postcode}`].join(', '),
  };
}
