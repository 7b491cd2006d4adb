import { Injectable } from '@nestjs/common';
import { PickType } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import { AccountProblem } from '../../accounts/account-problem.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import { ApiError } from '../../errors/api-error.js';
import { DatabaseUnavailable } from '../../errors/database-failure.js';
import {
  ELIGIBILITY_TYPES,
  EligibilityQuery,
  EligibilityService,
  holderOf,
} from '../../orders/eligibility/eligibility.service.js';
import type { Verdict } from '../../orders/eligibility/verdict.js';
import { refusal } from '../../orders/ledger/refusals.js';
import { sortReadable } from '../../orders/registrants/registrant.repository.js';
import { RegistrantsService } from '../../orders/registrants/registrants.service.js';
import { fillIn, t } from '../../texts/texts.js';
import { dayInWords, messageInWords } from '../layout/words.js';

/** A holder, as a person types it. */
export class HolderForm extends PickType(EligibilityQuery, ['legal_name', 'number', 'type']) {}

/** A registrant of the account instead. */
export class RegistrantForm {
  @IsUUID(undefined, { message: t.orders.refused.unknownRegistrant })
  registrant: string;
}

/** The part of a name's page that judges a holder. */
export interface JudgingView {
  /** Registrants of the account. */
  readonly registrants: readonly { readonly value: string; readonly words: string }[];
  readonly chosen: string | null;
  readonly entered: Partial<HolderForm>;
  readonly types: readonly string[];
  readonly verdict: VerdictView | null;
  /** Why there is no verdict. */
  readonly problem: string | null;
  readonly status: number;
}

const TONES = { eligible: 'free', not_eligible: 'gone', unknown: 'unk' } as const;

interface VerdictView {
  readonly is: Verdict['is'];
  readonly tone: string;
  readonly words: string;
  readonly hint: string;
}

/** A verdict in words, with its rule, its source and the day of the source. */
export function verdictView({ is, rule, source, asOf }: Verdict): VerdictView {
  return {
    ...{ is, tone: TONES[is], words: t.ordering.verdicts[is] },
    hint: fillIn(t.ordering.verdictHint, { rule, source, day: dayInWords(asOf) }),
  };
}

/** Whether a holder may have a name, on its page. Nothing of it is stored. */
@Injectable()
export class NameEligibility {
  constructor(
    private readonly eligibility: EligibilityService,
    private readonly registrants: RegistrantsService,
  ) {}

  /** @param form null: the page is opened only */
  async view(
    name: DomainName,
    form: HolderForm | RegistrantForm | null,
    accountId: string | null,
  ): Promise<JudgingView> {
    const asked = form && (await this.judge(name, form, accountId).catch(orRefusal));
    const problem = asked instanceof Error ? asked : null;
    return {
      registrants: await this.listOf(accountId),
      chosen: form && 'registrant' in form ? form.registrant : null,
      entered: form && 'number' in form ? form : {},
      types: ELIGIBILITY_TYPES,
      verdict: asked && !(asked instanceof Error) ? verdictView(asked) : null,
      problem: problem && messageInWords(problem.message),
      status: problem?.status ?? 200,
    };
  }

  private async judge(
    name: DomainName,
    form: HolderForm | RegistrantForm,
    accountId: string | null,
  ): Promise<Verdict> {
    if (!('registrant' in form)) return this.eligibility.judge(name, holderOf(form));
    if (accountId === null) throw new AccountProblem(401, t.names.signedOut);
    const open = await this.registrants.findRegistrant(accountId, form.registrant);
    if (!open) throw refusal('invalid_parameter', 'unknownRegistrant');
    return this.eligibility.judge(name, open());
  }

  /** While the primary is away the page does without them. */
  private async listOf(accountId: string | null): Promise<JudgingView['registrants']> {
    if (accountId === null) return [];
    const stored = await this.registrants.list(accountId).catch((error: unknown) => {
      if (error instanceof DatabaseUnavailable) return [];
      throw error;
    });
    return sortReadable(stored).readable.map(({ id: value, registrant: { legalName, idType, id } }) => ({
      ...{ value, words: `${legalName}, ${idType} ${id}` },
    }));
  }
}

type Refusal = ApiError | AccountProblem;

/** @returns what the page shows in place of a verdict */
function orRefusal(error: unknown): Refusal {
  if ((error instanceof ApiError && error.status < 500) || error instanceof AccountProblem) return error;
  throw error;
}
