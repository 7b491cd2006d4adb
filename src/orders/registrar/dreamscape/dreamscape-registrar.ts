import { randomUUID } from 'node:crypto';
import { SUFFIXES } from '../../../domains/schema/domain.js';
import { isObject } from '../../../validation/unknown-values.js';
import * as port from '../port.js';
import { timeOfDatabase } from '../../../db/database-time.js';
import type { ResellerAnswer, ResellerClient } from './reseller-client.js';

type Outcome<T> = port.Outcome<T>;
const { refused } = port;

export interface DreamscapeTerms {
  readonly name: string;
  readonly yearCents: port.YearTable;
  readonly cancelWindowHours: number;
  /** Whether its prices have GST in them; otherwise it is added. */
  readonly pricesHaveGst: boolean;
}

/** States of a name at the registrar. */
const STATUS = { awaitingRegistration: 1, registered: 2, awaitingRenewal: 3, expired: 6 } as const;
const GONE = [4, 5];
const GST_PERCENT = 10;
const MONTHS_A_YEAR = 12;
/** What several years cost is not published. */
const YEARS = [1];
/** A name that is taken, and not in our list for so long after the attempt, went to another. */
const FOREIGN_AFTER_MS = 15 * 60_000;
/** Requests of one attempt share an id within this time, so that none is executed twice; a later one has another. */
const SAME_ID_MS = 10 * 60_000;
const PAGE = 100;
const CURRENCY = 'AUD';

/** A name of ours, as the registrar describes it. */
interface Owned {
  readonly id: number;
  readonly name: string;
  readonly status: number;
  readonly createdAt: Date | null;
  readonly expiresAt: Date | null;
  readonly customer: number | null;
  readonly registrantId: string | null;
}

/**
 * Dreamscape's reseller API. Each attempt has a customer of its own at the registrar, whose user name derives from the
 * order and so proves the owner of a name. Written by the published documents; README.md lists its assumptions.
 */
export class DreamscapeRegistrar implements port.Registrar {
  readonly name: string;
  /** Requests for prices under way, by suffix. */
  private readonly asked = new Map<string, Promise<Outcome<ResellerAnswer>>>();

  constructor(
    private readonly terms: DreamscapeTerms,
    private readonly client: ResellerClient,
  ) {
    this.name = terms.name;
  }

  capabilities(): port.Capabilities {
    const { yearCents, cancelWindowHours } = this.terms;
    return {
      suffixes: SUFFIXES.filter((suffix) => yearCents[suffix] !== undefined),
      ...{ years: YEARS, yearCents, cancelWindowHours },
      ...{ hasBalance: true, hasList: true, setsNameServers: false },
    };
  }

  async quote(name: string, years: number, of: port.Priced): Promise<Outcome<port.Price>> {
    const tld = name.slice(name.indexOf('.') + 1);
    if (this.terms.yearCents[tld] === undefined || !YEARS.includes(years))
      return refused('unsupported', 'terms', 'Not a suffix or period of this registrar.');
    const answer = await this.prices(tld);
    if (answer.is !== 'done') return answer;
    const row = rowsOf(answer.value.data).find((one) => one.tld === tld);
    if (!row) return { is: 'unknown', why: 'the answer is about something else' };
    const price = isObject(row.price) ? row.price : {};
    const listed = centsOf(of === 'renewal' ? price.renew : price.register);
    if (listed === null || listed <= 0)
      return refused('unsupported', 'price', 'The registrar tells no price of it.');
    if (!this.terms.pricesHaveGst) {
      const gstCents = Math.round((listed * GST_PERCENT) / 100);
      return { is: 'done', value: { cents: listed + gstCents, gstCents } };
    }
    const gstCents = Math.round((listed * GST_PERCENT) / (100 + GST_PERCENT));
    return { is: 'done', value: { cents: listed, gstCents } };
  }

  /** Quotes that come meanwhile share the answer: they do not queue before the orders. */
  private prices(tld: string): Promise<Outcome<ResellerAnswer>> {
    const asked = this.asked.get(tld);
    if (asked) return asked;
    const query = { 'tlds[]': tld, currency: CURRENCY };
    const answer = this.client
      .send({ command: 'prices', method: 'GET', path: '/domains/tlds', query })
      .finally(() => this.asked.delete(tld));
    this.asked.set(tld, answer);
    return answer;
  }

  async check(name: string): Promise<Outcome<{ available: boolean; reason: string | null }>> {
    const query = { 'domain_names[]': name };
    const answer = await this.client.send({
      ...{ command: 'check', method: 'GET', path: '/domains/availability', query },
      settles: true,
    });
    return readDone(answer, ({ data }) => {
      const row = rowsOf(data).find((one) => nameIn(one) === name);
      if (typeof row?.is_available !== 'boolean') return null;
      return { available: row.is_available, reason: typeof row.status === 'string' ? row.status : null };
    });
  }

  async register(attempt: port.Attempt): Promise<Outcome<port.Registered>> {
    const { clTRID, name, years, registrant, nameServers } = attempt;
    // A name needs both, so that any failure here means: not registered.
    const customer = await this.make('customer', '/customers', attempt, {
      username: `${attempt.contactId}-${randomUUID().slice(0, 8)}`,
      password: attempt.password,
    });
    if (customer.is !== 'done') return notBegun(customer);
    const holder = await this.make('registrant', '/domains/registrants', attempt, {});
    if (holder.is !== 'done') return notBegun(holder);
    const window = Math.floor((timeOfDatabase().getTime() - attempt.startedAt.getTime()) / SAME_ID_MS);
    const answer = await this.client.send({
      ...{ command: 'create', method: 'POST', path: '/domains', clTRID },
      onceFor: `${clTRID}:${window}`,
      body: {
        ...{ domain_name: name, period: years * MONTHS_A_YEAR },
        ...(nameServers.length > 0 && { name_servers: nameServers.map((host) => ({ host })) }),
        ...{ customer_id: customer.value, registrant_id: holder.value, privacy: false },
        eligibility_data: Object.entries({
          business_type: registrant.eligibilityType,
          ...{ business_name: registrant.legalName, business_number_type: registrant.idType },
          business_number: registrant.id,
        }).map(([field, value]) => ({ name: field, value })),
      },
    });
    const created = readDone(answer, ({ data }) => ownedIn(data, name));
    if (created.is === 'done') return outcomeOfOwned(created.value);
    if (created.is !== 'refused') return created;
    if (created.reason === 'credentials') return this.settleDenied(created);
    if (created.reason !== 'policy' && created.reason !== 'command') return created;
    // Refused, perhaps, because an earlier sending was executed, or because it belongs to another.
    const found = await this.find(attempt);
    if (found.is === 'pending') return found;
    if (found.is !== 'done') return { is: 'unknown', why: 'refused, and whose it is was not answered' };
    if (found.value === 'none') return created;
    const { value } = found;
    if (value === 'foreign') return refused('taken', created.code, created.text);
    return value === 'unproven'
      ? { is: 'unknown', why: 'refused, and whose it is was not proven' }
      : { is: 'done', value };
  }

  // A repeated request id is denied like a wrong key, and then the first request with it counts. The key is wrong only
  // if another request is denied too.
  private async settleDenied<T>(denied: Extract<Outcome<never>, { is: 'refused' }>): Promise<Outcome<T>> {
    const balance = await this.balance();
    const isKeyDenied = balance.is === 'refused' && balance.reason === 'credentials';
    return isKeyDenied ? denied : { is: 'unknown', why: 'its request id was denied' };
  }

  private async make(
    command: string,
    path: string,
    { registrant, clTRID }: port.Attempt,
    more: object,
  ): Promise<Outcome<number>> {
    const { contact, legalName, idType, id } = registrant;
    const [first = '', ...rest] = contact.name.trim().split(/\s+/);
    const [, country = '', phone = ''] = /^\+(\d+)\.(\d+)$/.exec(contact.phone) ?? [];
    const body = {
      ...{ first_name: first, last_name: rest.join(' ') || first, address: contact.street.join(', ') },
      ...{ city: contact.city, country: 'AU', state: contact.state, post_code: contact.postcode },
      ...{ country_code: Number(country), phone, mobile: phone, email: contact.email },
      ...{ account_type: 'business', business_name: legalName },
      ...{ business_number_type: idType, business_number: id },
      ...more,
    };
    const answer = await this.client.send({ command, method: 'POST', path, clTRID, body });
    return readDone(answer, ({ data }) => (isObject(data) && isId(data.id) ? data.id : null));
  }

  async find(attempt: port.Attempt): Promise<Outcome<port.Found>> {
    const { name, clTRID, contactId, registrant, startedAt } = attempt;
    const owned = await this.look(name, clTRID);
    if (owned.is !== 'done') return owned;
    if (owned.value === null) {
      const free = await this.check(name);
      if (free.is !== 'done') return free;
      if (free.value.available) return { is: 'done', value: 'none' };
      return timeOfDatabase().getTime() - startedAt.getTime() > FOREIGN_AFTER_MS
        ? { is: 'done', value: 'foreign' }
        : { is: 'unknown', why: 'it is taken, and not in our list so far' };
    }
    const { customer, registrantId } = owned.value;
    const answer = await this.client.send({
      ...{ command: 'customer info', method: 'GET', path: `/customers/${customer ?? 0}`, clTRID },
      settles: true,
    });
    const whose = readDone(answer, ({ data }) =>
      isObject(data) && typeof data.username === 'string' ? { username: data.username } : null,
    );
    if (whose.is !== 'done') return { is: 'unknown', why: 'whose customer it is was not answered' };
    const { username } = whose.value;
    if (!username.startsWith(`${contactId}-`))
      return { is: 'done', value: port.foreignOrUnproven(attempt, username, owned.value.createdAt) };
    const outcome = outcomeOfOwned(owned.value);
    if (outcome.is !== 'done' || registrantId === null) return outcome;
    return { is: 'done', value: { ...outcome.value, isOfAnother: registrantId !== registrant.id } };
  }

  async renew(renewal: port.Renewal): Promise<Outcome<port.Registered>> {
    const { id, name, years } = renewal;
    const owned = await this.look(name, id);
    if (owned.is !== 'done') return notBegun(owned);
    if (owned.value === null) return refused('policy', 'list', 'The registrar does not have the name.');
    if (isRenewed(owned.value, renewal)) return { is: 'done', value: registeredOf(owned.value) };
    const answer = await this.client.send({
      ...{ command: 'renew', method: 'POST', path: `/domains/${owned.value.id}/renewal`, clTRID: id },
      ...{ onceFor: `${id}:renewal`, body: { period: years * MONTHS_A_YEAR } },
    });
    const renewed = readDone(answer, ({ data }) => ownedIn(data, name));
    if (renewed.is === 'refused' && renewed.reason === 'credentials') return this.settleDenied(renewed);
    if (renewed.is !== 'done') return renewed;
    return isRenewed(renewed.value, renewal)
      ? { is: 'done', value: registeredOf(renewed.value) }
      : { is: 'unknown', why: 'accepted, with the end as it was' };
  }

  async findRenewal(renewal: port.Renewal): Promise<Outcome<port.Registered | 'none'>> {
    const owned = await this.look(renewal.name, renewal.id);
    if (owned.is !== 'done') return owned;
    if (owned.value === null) return { is: 'unknown', why: 'the registrar does not have the name' };
    if (isRenewed(owned.value, renewal)) return { is: 'done', value: registeredOf(owned.value) };
    if (owned.value.status === STATUS.awaitingRenewal) return { is: 'pending', reference: renewal.id };
    return { is: 'done', value: 'none' };
  }

  async cancel(attempt: port.Attempt): Promise<Outcome<null>> {
    const found = await this.find(attempt);
    if (found.is !== 'done') return notBegun(found);
    const { value } = found;
    if (value === 'none') return { is: 'done', value: null };
    if (value === 'foreign') return refused('taken', 'list', 'The name is not of this order.');
    if (value === 'unproven') return port.notProven('list');
    const path = `/domains/${value.id ?? 0}`;
    const answer = await this.client.send({
      ...{ command: 'delete', method: 'DELETE', path },
      clTRID: attempt.clTRID,
    });
    return answer.is === 'done' ? { is: 'done', value: null } : answer;
  }

  /** Its published documents do not say how. */
  delegate(): Promise<Outcome<null>> {
    return Promise.resolve(
      refused('unsupported', 'API', 'Its API sets no name servers of registered names.'),
    );
  }

  async balance(): Promise<Outcome<{ cents: number }>> {
    const answer = await this.client.send({ command: 'balance', method: 'GET', path: '/finances/balance' });
    return readDone(answer, ({ data }) => {
      const cents = isObject(data) && data.currency === CURRENCY ? centsOf(data.balance) : null;
      return cents === null ? null : { cents };
    });
  }

  async list(cursor: string | null): Promise<Outcome<port.NamePage>> {
    const page = Number(cursor ?? 1);
    const query = { page: String(page), limit: String(PAGE) };
    const answer = await this.client.send({ command: 'list', method: 'GET', path: '/domains', query });
    return readDone(answer, ({ data, pages }) => {
      const owned = rowsOf(data).map((row) => ownedIn(row, nameIn(row)));
      // A row that cannot be read could be any name.
      if (!Array.isArray(data) || owned.includes(null)) return null;
      const names = owned
        .filter((one) => one !== null)
        .filter(({ status }) => !GONE.includes(status))
        .map(({ name, expiresAt, registrantId }) => ({ name, expiresAt, registrantId }));
      return { names, next: page < pages ? String(page + 1) : null };
    });
  }

  /** It sends no messages: pending names are settled by asking. */
  poll(): Promise<Outcome<number>> {
    return Promise.resolve({ is: 'done', value: 0 });
  }

  /** The name as we have it; null where we do not. */
  private async look(name: string, clTRID: string): Promise<Outcome<Owned | null>> {
    const query = { domain_name: name };
    const answer = await this.client.send({
      ...{ command: 'info', method: 'GET', path: '/domains', query, clTRID },
      settles: true,
    });
    if (answer.is !== 'done') return answer;
    const { data, pages } = answer.value;
    if (!Array.isArray(data)) return { is: 'unknown', why: 'the answer is no list' };
    const rows = rowsOf(data).filter((row) => nameIn(row) === name);
    // Asked about this name alone: a list of others, or a part of one, does not say that it is not ours.
    if (rows.length === 0 && (data.length > 0 || pages > 1))
      return { is: 'unknown', why: 'the list is not of this name' };
    const owned = rows.map((row) => ownedIn(row, name));
    if (owned.includes(null)) return { is: 'unknown', why: 'the answer cannot be read' };
    const kept = owned.filter((one) => one !== null).filter(({ status }) => !GONE.includes(status));
    return kept.length > 1
      ? { is: 'unknown', why: `the registrar has the name ${kept.length} times` }
      : { is: 'done', value: kept[0] ?? null };
  }
}

/** The value of an answer; null: it is about something else. */
function readDone<From, To>(answer: Outcome<From>, read: (value: From) => To | null): Outcome<To> {
  if (answer.is !== 'done') return answer;
  const value = read(answer.value);
  return value === null
    ? { is: 'unknown', why: 'the answer is about something else' }
    : { is: 'done', value };
}

/** Of a step before the one that counts: nothing that was asked for has happened. */
function notBegun(outcome: Exclude<Outcome<unknown>, { is: 'done' }>): Outcome<never> {
  if (outcome.is === 'refused') return outcome;
  return refused('away', 'before', outcome.is === 'unknown' ? outcome.why : 'pending');
}

function outcomeOfOwned(owned: Owned): Outcome<port.Registered> {
  switch (owned.status) {
    case STATUS.awaitingRegistration:
      return { is: 'pending', reference: String(owned.id) };
    case STATUS.registered:
    case STATUS.awaitingRenewal:
    case STATUS.expired:
      return { is: 'done', value: registeredOf(owned) };
    default:
      return { is: 'unknown', why: `the registrar has it in state ${owned.status}` };
  }
}

function registeredOf({ name, id, createdAt, expiresAt }: Owned): port.Registered {
  return { name, id: String(id), createdAt, expiresAt };
}

function isRenewed({ expiresAt }: Owned, before: port.Renewal): boolean {
  return (expiresAt?.getTime() ?? 0) > before.expiresAt.getTime() + port.SAME_DAY_MS;
}

function rowsOf(data: unknown): Record<string, unknown>[] {
  return Array.isArray(data) ? data.filter(isObject) : [];
}

function nameIn({ domain_name: name }: Record<string, unknown>): string {
  return typeof name === 'string' ? name.toLowerCase() : '';
}

/** @returns null for anything that is not a description of this name */
function ownedIn(data: unknown, name: string): Owned | null {
  if (!isObject(data) || nameIn(data) !== name || name === '') return null;
  const { id, status_id: status, customer_id: customer, eligibility_data: eligibility } = data;
  if (!isId(id) || typeof status !== 'number') return null;
  const number = rowsOf(eligibility).find((one) => one.name === 'business_number')?.value;
  return {
    ...{ id, name, status, customer: isId(customer) ? customer : null },
    ...{ createdAt: dateIn(data.start_date), expiresAt: dateIn(data.expiry_date) },
    registrantId: typeof number === 'string' ? number.replace(/\D/g, '') : null,
  };
}

function isId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/** A time without a zone is taken for UTC. */
function dateIn(value: unknown): Date | null {
  if (typeof value !== 'string') return null;
  const [, day, time = '00:00:00'] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d))?$/.exec(value) ?? [];
  const date = new Date(day === undefined ? value : `${day}T${time}Z`);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Dollars, as a number or in decimals, in whole cents. */
function centsOf(value: unknown): number | null {
  const text = typeof value === 'number' ? value.toFixed(2) : value;
  const [, sign = '', dollars, cents = ''] =
    typeof text === 'string' ? (/^(-?)(\d{1,9})(?:\.(\d{1,2}))?$/.exec(text.trim()) ?? []) : [];
  if (dollars === undefined) return null;
  return (sign === '-' ? -1 : 1) * (Number(dollars) * 100 + Number(cents.padEnd(2, '0')));
}
