import { Injectable } from '@nestjs/common';
import { createHash, createHmac } from 'node:crypto';
import { Config } from '../../config/config.js';
import { isMadeWithAny } from '../../validation/proofs.js';
import type { Registrant } from '../registrar/port.js';
import { AGREEMENT_NAMES, areOfToday } from './agreements.js';
import { refusal } from '../ledger/refusals.js';

const PURPOSE = 'bowerbird registration quote';
export const QUOTE_MS = 15 * 60_000;
const MAX_TOKEN_LENGTH = 2_000;
export const QUOTE_TOKEN = new RegExp(`^[\\w-]{1,${MAX_TOKEN_LENGTH}}\\.[\\w-]{43}$`);

/** The terms of a quote and of the order placed by it. All money in whole cents. */
export interface Terms {
  readonly accountId: string;
  readonly domain: string;
  readonly years: number;
  readonly registrantId: string;
  readonly registrar: string;
  readonly totalCents: number;
  readonly gstCents: number;
  /** What the registrar charges us, GST included. */
  readonly registrarCents: number;
  /** By name and version. */
  readonly agreements: readonly string[];
  readonly isDrop: boolean;
  /** The order that registered the name, when it is to be renewed; null for a registration. */
  readonly renews: string | null;
}

/** Terms, offered to one account until they expire. */
export interface Quote extends Terms {
  /** Of the registrant as it was shown, as text: `textHashOf`. */
  readonly holderHash: string;
  readonly expiresAt: string;
}

/** What a quote offers, as callers see it. */
export interface Offer {
  readonly domain: string;
  readonly years: number;
  readonly registrar: string;
  readonly total_cents: number;
  readonly gst_cents: number;
  readonly is_drop: boolean;
  /** The token. */
  readonly quote: string;
  readonly expires_at: string;
}

export function offerOf(quoted: Quote, quote: string): Offer {
  const { domain, years, registrar, totalCents, gstCents, isDrop, expiresAt } = quoted;
  return {
    ...{ domain, years, registrar, total_cents: totalCents, gst_cents: gstCents, is_drop: isDrop },
    ...{ quote, expires_at: expiresAt },
  };
}

/** @throws {ApiError} invalid_parameter, quote_expired */
export function assertQuote(quote: Quote | null, accountId: string, now: Date): Quote {
  if (quote?.accountId !== accountId) throw refusal('invalid_parameter', 'foreignQuote');
  if (new Date(quote.expiresAt) <= now || !areOfToday(quote.agreements))
    throw refusal('quote_expired', 'quoteExpired');
  return quote;
}

/** SHA-256 of the terms of an approval: another price, term, holder or text needs another approval. */
export function hashOfTerms(
  terms: Terms & { readonly nameServers: readonly string[] },
  registrant: Registrant,
): Buffer {
  const { domain, years, totalCents, registrantId, nameServers } = terms;
  const holder = [registrantId, hashOfHolder(registrant).toString('hex')];
  return hashOf([domain, years, totalCents, holder, AGREEMENT_NAMES, ...nameServers]);
}

/** SHA-256 of the registrant as the registrar gets it: also a changed mail address can give a name away. */
export function hashOfHolder({ legalName, idType, id, eligibilityType, contact }: Registrant): Buffer {
  const { name, email, phone, street, city, state, postcode } = contact;
  const reached = [name, email, phone, street, city, state, postcode];
  return hashOf([legalName, idType, id, eligibilityType, reached]);
}

/** The same as text. */
export function textHashOf(registrant: Registrant): string {
  return hashOfHolder(registrant).toString('base64url');
}

function hashOf(parts: readonly unknown[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

/** Signs quotes: nothing of one is stored, and none can be changed. */
@Injectable()
export class QuoteTokens {
  constructor(private readonly config: Config) {}

  sign(quote: Quote): string {
    const text = Buffer.from(JSON.stringify(quote)).toString('base64url');
    return `${text}.${proofOf(this.config.auth.secret, text).toString('base64url')}`;
  }

  /** @returns null for one that is not ours; an expired one is returned */
  read(token: string): Quote | null {
    if (!QUOTE_TOKEN.test(token)) return null;
    const [text = '', proof = ''] = token.split('.');
    const isOurs = isMadeWithAny(Buffer.from(proof, 'base64url'), this.config.auth.secrets, (secret) =>
      proofOf(secret, text),
    );
    // Ours, and so of this shape.
    if (!isOurs) return null;
    const quote = JSON.parse(Buffer.from(text, 'base64url').toString()) as Quote;
    // A quote of the release before renewals lacks it.
    return { ...quote, renews: quote.renews ?? null };
  }
}

function proofOf(secret: string, text: string): Buffer {
  const key = createHmac('sha256', secret).update(PURPOSE).digest();
  return createHmac('sha256', key).update(text).digest();
}
