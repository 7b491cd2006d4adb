import { createHash, randomInt } from 'node:crypto';
import type { Suffix } from '../../domains/schema/domain.js';

/**
 * What an attempt to change something at a registrar came to. Only `unknown` may hide a change: it is settled by
 * asking, never by sending again at once.
 */
export type Outcome<T> =
  | { readonly is: 'done'; readonly value: T }
  /** Accepted; the registry decides later. A message or `find` tells the end. */
  | { readonly is: 'pending'; readonly reference: string | null }
  /** Nothing was changed. */
  | { readonly is: 'refused'; readonly reason: Refusal; readonly code: string; readonly text: string }
  | { readonly is: 'unknown'; readonly why: string };

/**
 * Why nothing was changed: `taken`, the name belongs to another; `policy`, the registry's rules; `command`, our command
 * is wrong; `funds`, the registrar account is short; `credentials`, it is locked out: trying again locks it for longer;
 * `busy` and `away`, no session: the same attempt may be sent later; `unsupported`, the registrar has no such command.
 */
export type Refusal =
  'taken' | 'policy' | 'command' | 'funds' | 'credentials' | 'busy' | 'away' | 'unsupported';

/** Refusals of a registrar that may answer later. */
export const NOT_NOW: readonly Refusal[] = ['away', 'busy', 'credentials'];

/** In whole cents of AUD, GST included: what the registrar charges for it. */
export interface Price {
  readonly cents: number;
  readonly gstCents: number;
}

/** The customer: always the registrant. Version 1 takes holders of an ABN or ACN. */
export interface Registrant {
  /** Exactly as on the register of the number. */
  readonly legalName: string;
  readonly idType: 'ABN' | 'ACN';
  /** Digits. */
  readonly id: string;
  /** One of the registry's words, such as `Company` or `Sole Trader`. */
  readonly eligibilityType: string;
  readonly contact: Contact;
}

export const AUSTRALIAN_STATES = ['ACT', 'NSW', 'NT', 'QLD', 'SA', 'TAS', 'VIC', 'WA'] as const;

export interface Contact {
  readonly name: string;
  readonly email: string;
  /** As +61.299990000. */
  readonly phone: string;
  /** One to three lines. */
  readonly street: readonly string[];
  readonly city: string;
  readonly state: (typeof AUSTRALIAN_STATES)[number];
  readonly postcode: string;
}

/** Why the registrant may have the name: 1, a match, acronym or abbreviation; 2, a close and substantial connection. */
export type PolicyReason = 1 | 2;

/** One attempt to register a name: a row that is committed before the first byte leaves. */
export interface Attempt {
  readonly id: string;
  readonly order: string;
  readonly registrar: string;
  readonly name: string;
  readonly years: number;
  readonly registrant: Registrant;
  readonly policyReason: PolicyReason;
  /** None: the name is parked. */
  readonly nameServers: readonly string[];
  /** Ours in every command of the attempt, 3 to 64 characters. */
  readonly clTRID: string;
  /** Of the name at the registry; random, and so a proof of whose it is. */
  readonly password: string;
  /** Derived from the order: a second attempt finds the contact of the first. */
  readonly contactId: string;
  readonly startedAt: Date;
}

export type AttemptWish = Omit<Attempt, 'clTRID' | 'password' | 'contactId' | 'startedAt' | 'nameServers'> &
  Partial<Pick<Attempt, 'nameServers'>>;

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const PASSWORD_LENGTH = 16;

/** @param wish its id is unique over all attempts */
export function newAttempt(wish: AttemptWish, startedAt: Date): Attempt {
  const random = Array.from({ length: PASSWORD_LENGTH - 3 }, () => LETTERS[randomInt(LETTERS.length)]);
  return {
    nameServers: [],
    ...wish,
    startedAt,
    clTRID: `BB-${digest(wish.id)}`,
    // Some registries want a letter, a digit and a sign.
    password: `${random.join('')}-7q`,
    contactId: `BB${digest(wish.order).slice(0, 14)}`,
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32).toUpperCase();
}

/** Contacts that orders made, alone or before a sign. */
const CONTACT_OF_ORDER = /^BB[0-9A-F]{14}(-|$)/;
/** Days and zones of registrars differ: an end or a day that was reckoned here may be as far from theirs. */
export const SAME_DAY_MS = 36 * 3_600_000;

/** Whose a name is that the registrar has for us, with neither the contact nor the password of the attempt. */
export function foreignOrUnproven(
  { startedAt }: Attempt,
  contact: string,
  createdAt: Date | null,
): 'foreign' | 'unproven' {
  const isOlder = createdAt !== null && createdAt.getTime() < startedAt.getTime() - SAME_DAY_MS;
  return isOlder || CONTACT_OF_ORDER.test(contact) ? 'foreign' : 'unproven';
}

export interface Registered {
  readonly name: string;
  /** The registrar's own id of the name. */
  readonly id: string | null;
  readonly createdAt: Date | null;
  readonly expiresAt: Date | null;
  /** Whether it is held by another than the attempt says; left out where the registrar does not tell. */
  readonly isOfAnother?: boolean;
  /** Its name servers, and whether a change of the name is under way; left out where the registrar does not tell. */
  readonly delegation?: { readonly hosts: readonly string[]; readonly isChanging: boolean };
}

/**
 * What became of an attempt: `none`, the name is free; `foreign`, it belongs to another order or registrar; `unproven`,
 * the registrar has it for us, and nothing there says for which order.
 */
export type Found = Registered | 'none' | 'foreign' | 'unproven';

/** For how many years the registry registers or renews a name at once. A registrar may sell fewer. */
export const REGISTRY_YEARS: readonly number[] = [1, 2, 3, 4, 5];
export const MAX_YEARS = Math.max(...REGISTRY_YEARS);

export interface Capabilities {
  readonly suffixes: readonly Suffix[];
  /** Some of {@link REGISTRY_YEARS}. */
  readonly years: readonly number[];
  /** What a year costs by the operator's table, by suffix, in cents with GST. */
  readonly yearCents: YearTable;
  /** Hours after registration in which a cancellation gives the fee back; 0 where nothing is promised. */
  readonly cancelWindowHours: number;
  readonly hasBalance: boolean;
  readonly hasList: boolean;
  /** Whether a registered name gets other name servers here. */
  readonly setsNameServers: boolean;
}

export interface Renewal {
  /** Unique; the same when it is sent again. */
  readonly id: string;
  readonly name: string;
  readonly years: number;
  /** As it was last known: a renewal that was executed already is refused by it. */
  readonly expiresAt: Date;
}

/** A message of the registrar about a command that it had accepted. */
export interface RegistrarMessage {
  readonly id: string;
  readonly name: string | null;
  /** Of the command; null where the message is about none. */
  readonly clTRID: string | null;
  /** Null where the message decides nothing. */
  readonly outcome: 'done' | 'refused' | null;
  readonly text: string;
}

export interface NamePage {
  readonly names: readonly ListedName[];
  /** Of the next page; null at the end. */
  readonly next: string | null;
}

/** A name that the registrar has for us. */
export interface ListedName {
  readonly name: string;
  readonly expiresAt: Date | null;
  /** The ABN or ACN of its registrant, digits; null where the list does not tell it. */
  readonly registrantId: string | null;
}

export const PRICED = ['registration', 'renewal'] as const;
export type Priced = (typeof PRICED)[number];
export type YearTable = Readonly<Record<string, Readonly<Record<Priced, number>>>>;

/** A registrar. No method throws for what the other side does; each ends by its own deadline. */
export interface Registrar {
  readonly name: string;
  capabilities(): Capabilities;
  quote(name: string, years: number, of: Priced): Promise<Outcome<Price>>;
  check(name: string): Promise<Outcome<{ readonly available: boolean; readonly reason: string | null }>>;
  /** To be called with a committed attempt. The same attempt may be sent again once `find` has said `none`. */
  register(attempt: Attempt): Promise<Outcome<Registered>>;
  find(attempt: Attempt): Promise<Outcome<Found>>;
  renew(renewal: Renewal): Promise<Outcome<Registered>>;
  /** What became of a renewal: `none`, it was not executed so far. Executes nothing twice. */
  findRenewal(renewal: Renewal): Promise<Outcome<Registered | 'none'>>;
  /** Deletes a name within the window of `capabilities`. */
  cancel(attempt: Attempt): Promise<Outcome<null>>;
  /** Gives the name of this attempt these name servers alone, and none but these: sent again, it changes nothing. */
  delegate(attempt: Attempt, nameServers: readonly string[]): Promise<Outcome<null>>;
  balance(): Promise<Outcome<{ readonly cents: number }>>;
  list(cursor: string | null): Promise<Outcome<NamePage>>;
  /** Reads waiting messages; each is acknowledged after `take` has committed it. @returns how many */
  poll(take: (message: RegistrarMessage) => Promise<void>): Promise<Outcome<number>>;
}

export function refused(
  reason: Refusal,
  code: string,
  text: string,
): Extract<Outcome<never>, { is: 'refused' }> {
  return { is: 'refused', reason, code, text };
}

/** Of a name that was not deleted, as it may be of another order. */
export function notProven(code: string): Extract<Outcome<never>, { is: 'refused' }> {
  return refused('policy', code, 'it has the name with another contact and password than the order gave it');
}

/** The registrars of this installation, in the order of preference. */
export interface Registrars {
  readonly all: readonly Registrar[];
  /** Of an attempt that exists; undefined once the operator has removed it. */
  named(name: string): Registrar | undefined;
  /** The registrar for a new order; undefined: the name is handed off by link. */
  choose(suffix: Suffix, years: number): Registrar | undefined;
}

/** Injects {@link Registrars}. */
export const REGISTRARS = Symbol('REGISTRARS');
