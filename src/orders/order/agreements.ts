import { createHash } from 'node:crypto';
import { refusal } from '../ledger/refusals.js';

/** What a person of the account accepts with an order. A changed text is a new version. */
export interface Agreement {
  readonly id: string;
  readonly version: string;
  readonly text: string;
  /** SHA-256 of the text, in hexadecimal. */
  readonly hash: string;
}

const LICENSING = 'https://www.auda.org.au/au-domain-names/au-rules-and-policies';

const TEXTS = {
  registrar: [
    '2026-11-27',
    'Bowerbird sells this registration for the registrar of record that the order names, and is not the registrant. ' +
      "The registrar's registrant agreement applies between it and the registrant.",
  ],
  licence: [
    '2026-11-27',
    `A .au name is licensed, not owned, under the .au Domain Administration Rules: Licensing (${LICENSING}). ` +
      "Name, contact and eligibility of the registrant are public in the registry's WHOIS service.",
  ],
  warranty: [
    '2026-11-27',
    'I warrant that the registrant is eligible for this name, that its details are true and complete, that the ' +
      'reason for the allocation is as stated, and that the registrant registers it for itself.',
  ],
  payment: [
    '2026-11-27',
    'The price is in AUD and includes GST. It is paid from the balance once the name is registered; otherwise the ' +
      'money is released. After the window for cancelling there is no refund. The name is renewed by itself only ' +
      'with your consent.',
  ],
} as const satisfies Record<string, readonly [version: string, text: string]>;

/** The agreements of today. */
export const AGREEMENTS: readonly Agreement[] = Object.entries(TEXTS).map(([id, [version, text]]) => ({
  ...{ id, version, text },
  hash: createHash('sha256').update(text).digest('hex'),
}));

/** How an agreement is named when it is accepted. */
export function agreementName({ id, version }: Pick<Agreement, 'id' | 'version'>): string {
  return `${id}:${version}`;
}

/** The agreements of today, as they are named. */
export const AGREEMENT_NAMES: readonly string[] = AGREEMENTS.map(agreementName);

/** Whether these are the agreements of today: a new version asks for another acceptance. */
export function areOfToday(names: readonly string[]): boolean {
  return names.join() === AGREEMENT_NAMES.join();
}

/** An accepted text, as it is kept: its words are in the table of texts, by their hash. */
export type AcceptedText = Omit<Agreement, 'text'>;

/** The texts of today, as they are accepted. */
export const ACCEPTED_TODAY: readonly AcceptedText[] = AGREEMENTS.map(({ id, version, hash }) => ({
  ...{ id, version, hash },
}));

/** Whether all agreements of today were accepted, by version and word for word. */
export function areTextsOfToday(texts: readonly AcceptedText[]): boolean {
  return AGREEMENTS.every(({ id, version, hash }) =>
    texts.some((one) => one.id === id && one.version === version && one.hash === hash),
  );
}

/** What a person of the account accepted: which texts, when, in which session and from which network. */
export interface Acceptance {
  readonly agreements: readonly AcceptedText[];
  readonly at: Date;
  readonly by: string;
  readonly from: string | null;
}

export interface Approval {
  readonly by: string;
  readonly from: string | null;
  /** The mandate that a person made for it; null: a person approved this order itself. */
  readonly mandateId: string | null;
  readonly acceptance: Acceptance;
  /** SHA-256 of the approved terms. */
  readonly terms: Buffer;
  readonly lapsesAt: Date;
}

/** @throws {ApiError} invalid_parameter unless all agreements of today are accepted */
export function assertAccepted(accept: readonly string[]): void {
  const missing = AGREEMENT_NAMES.filter((name) => !accept.includes(name));
  const unknown = accept.filter((name) => !AGREEMENT_NAMES.includes(name));
  if (missing.length > 0)
    throw refusal('invalid_parameter', 'notAccepted', { agreements: missing.join(', ') });
  if (unknown.length > 0) throw refusal('invalid_parameter', 'unknownAgreement');
}
