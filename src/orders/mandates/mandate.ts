import type { Acceptance } from '../order/agreements.js';
import { parseDomainName } from '../../domains/name/domain-name.js';
import type { Suffix } from '../../domains/schema/domain.js';
import { fillIn, t, type Texts } from '../../texts/texts.js';
import { areTextsOfToday } from '../order/agreements.js';
import type { Order } from '../order/order.repository.js';
import type { Verdict } from '../eligibility/verdict.js';

/** What the form offers; without a mandate programs may order nothing. */
export const OFFERED_MONTH_CENTS = 10_000;
export const OFFERED_ORDER_CENTS = 5_000;
export const MAX_MANDATES = 20;

/** A key, or a connected app by its client id. */
export type Program = { readonly key: string } | { readonly app: string };

/** Limits within which programs may order without asking, and what a person accepted for it. Whole cents. */
export interface Mandate {
  readonly id: string;
  readonly accountId: string;
  readonly registrantId: string;
  /** A hash of the registrant and its contact, as they were when the mandate was made. */
  readonly holder: Buffer;
  readonly orderCents: number;
  /** In a calendar month of UTC+10. */
  readonly monthCents: number;
  readonly suffixes: readonly Suffix[];
  readonly keyIds: readonly string[];
  readonly appIds: readonly string[];
  /** Also where no source says whether the registrant may have the name. */
  readonly takesUnknown: boolean;
  readonly expiresAt: Date;
  readonly endedAt: Date | null;
  readonly madeAt: Date;
  readonly acceptance: Acceptance;
  /** Held and paid this month, as the ledger has it. */
  readonly spentCents: number;
}

/** What a mandate is asked about. */
export interface Wish {
  readonly registrantId: string;
  readonly suffix: Suffix;
  readonly totalCents: number;
  readonly verdict: Verdict['is'];
  /** Null before it is known. */
  readonly holder: Buffer | null;
}

export type MandateState = 'active' | 'suspended' | 'expired' | 'ended';

/** A changed text suspends a mandate until a person has accepted it, also under the version that it had. */
export function stateOfMandate(mandate: Mandate, now: Date): MandateState {
  if (mandate.endedAt) return 'ended';
  if (mandate.expiresAt <= now) return 'expired';
  return areTextsOfToday(mandate.acceptance.agreements) ? 'active' : 'suspended';
}

function beyond(
  why: keyof Texts['mandates']['beyond'],
  values: Readonly<Record<string, string>> = {},
): string {
  return fillIn(t.mandates.beyond[why], values);
}

/** Why an order is beyond a mandate; null where it is within. */
export function whyBeyond(mandate: Mandate, wish: Wish, now: Date): string | null {
  const state = stateOfMandate(mandate, now);
  if (state !== 'active') return beyond(state);
  if (wish.registrantId !== mandate.registrantId) return beyond('registrant');
  if (wish.holder && !wish.holder.equals(mandate.holder)) return beyond('holder');
  if (!mandate.suffixes.includes(wish.suffix)) return beyond('suffix', { suffix: wish.suffix });
  if (wish.verdict !== 'eligible' && !(wish.verdict === 'unknown' && mandate.takesUnknown))
    return beyond('verdict');
  const cents = String(wish.totalCents);
  if (wish.totalCents > mandate.orderCents)
    return beyond('order', { limit: String(mandate.orderCents), cents });
  const leftCents = mandate.monthCents - mandate.spentCents;
  if (wish.totalCents > leftCents) return beyond('month', { limit: String(Math.max(0, leftCents)), cents });
  return null;
}

/** Why an order is beyond all of them: by the reason of the first; null where it is within one. */
export function whyBeyondAll(mandates: readonly Mandate[], wish: Wish, now: Date): string | null {
  const reasons = mandates.map((mandate) => whyBeyond(mandate, wish, now));
  return reasons.includes(null) ? null : (reasons[0] ?? beyond('none'));
}

/** @param facts left out before they are known */
export function wishOf(
  { domain, registrantId, totalCents }: Pick<Order, 'domain' | 'registrantId' | 'totalCents'>,
  { verdict, holder }: Pick<Wish, 'verdict' | 'holder'> = { verdict: 'eligible', holder: null },
): Wish {
  return { registrantId, totalCents, verdict, holder, suffix: parseDomainName(domain).tld };
}
