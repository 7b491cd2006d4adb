import { type Suffix, SUFFIXES } from '../../src/domains/schema/domain.js';
import {
  type Attempt,
  type Capabilities,
  type Found,
  type Outcome,
  type Price,
  type Priced,
  type Refusal,
  type Registered,
  type Registrar,
  REGISTRY_YEARS,
  type RegistrarMessage,
  type Renewal,
} from '../../src/orders/registrar/port.js';

/** What happens to a request: it may be executed, and its reply may come. */
export type Fault =
  | 'reply_lost'
  | 'request_lost'
  | 'pending'
  /** The process ends before the reply. */
  | 'killed_before'
  | 'killed_after'
  | { readonly refused: Refusal };

/** A registrar of the tests' own, with its registry in memory; two applications can share one. */
export class MadeUpRegistrar implements Registrar {
  readonly name = 'made-up';
  readonly holders = new Map<string, Attempt | 'somebody'>();
  /** Requests that arrived, by name. */
  readonly requests = new Map<string, number>();
  /** Of the next requests for a name, in their order. */
  readonly faults = new Map<string, Fault[]>();
  readonly waiting = new Map<string, Attempt>();
  /** Attempts whose requests were lost, by name. */
  readonly unheard = new Map<string, Attempt>();
  readonly messages: RegistrarMessage[] = [];
  readonly questions = new Map<string, number>();
  /** Names that it has for us, without saying for which order. */
  readonly unproven = new Set<string>();
  /** Ends of renewed names, and the names in the order of their renewals. */
  readonly ends = new Map<string, Date>();
  readonly renewals: string[] = [];
  /** Ends that it tells instead, by name. */
  readonly told = new Map<string, Date | null>();
  /** Whether it tells no day of registration. */
  isWithoutDays = false;
  isAway = false;
  setsNameServers = true;
  /** Whether it has prices, and no answer about names. */
  isMute = false;
  cents = 1_000_000;
  price: Price = { cents: 2_180, gstCents: 198 };
  /** Null: as {@link price}. */
  renewalPrice: Price | null = null;
  years: readonly number[] = REGISTRY_YEARS;
  cancelWindowHours = 24;
  suffixes: readonly Suffix[] = SUFFIXES;

  capabilities(): Capabilities {
    const renewal = (this.renewalPrice ?? this.price).cents;
    const yearCents = { 'com.au': { registration: this.price.cents, renewal } };
    return {
      ...{ suffixes: this.suffixes, years: this.years, yearCents, cancelWindowHours: this.cancelWindowHours },
      ...{ hasBalance: true, hasList: false, setsNameServers: this.setsNameServers },
    };
  }

  async quote(_name: string, _years: number, of: Priced): Promise<Outcome<Price>> {
    if (this.isAway) return AWAY;
    return { is: 'done', value: (of === 'renewal' && this.renewalPrice) || this.price };
  }

  async check(name: string): Promise<Outcome<{ available: boolean; reason: null }>> {
    return {
      is: 'done',
      value: { available: !this.holders.has(name) && !this.waiting.has(name), reason: null },
    };
  }

  async register(attempt: Attempt): Promise<Outcome<Registered>> {
    const { name } = attempt;
    if (this.isAway) return AWAY;
    this.requests.set(name, (this.requests.get(name) ?? 0) + 1);
    const fault = this.faults.get(name)?.shift();
    if (fault === 'killed_before') throw new Error('killed');
    if (fault === 'request_lost') {
      this.unheard.set(name, attempt);
      return { is: 'unknown', why: 'the connection was cut' };
    }
    if (typeof fault === 'object')
      return { is: 'refused', reason: fault.refused, code: '2000', text: `refused: ${fault.refused}` };
    if (this.holders.has(name))
      return { is: 'refused', reason: 'taken', code: '2302', text: 'Object exists' };
    if (fault === 'pending') {
      this.waiting.set(name, attempt);
      return { is: 'pending', reference: null };
    }
    this.holders.set(name, attempt);
    if (fault === 'killed_after') throw new Error('killed');
    return fault === 'reply_lost'
      ? { is: 'unknown', why: 'the connection was cut' }
      : { is: 'done', value: this.tell(name, EXPIRES) };
  }

  private tell(name: string, expiresAt: Date): Registered {
    const told = this.told.get(name);
    return { ...this.known(name), expiresAt: told === undefined ? expiresAt : told };
  }

  async find({ name, password, contactId }: Attempt): Promise<Outcome<Found>> {
    if (this.isAway || this.isMute) return { is: 'unknown', why: 'no session' };
    this.questions.set(name, (this.questions.get(name) ?? 0) + 1);
    const holder = this.holders.get(name);
    if (!holder) return { is: 'done', value: 'none' };
    if (this.unproven.has(name)) return { is: 'done', value: 'unproven' };
    const isOurs = holder !== 'somebody' && (holder.password === password || holder.contactId === contactId);
    const expiresAt = this.ends.get(name) ?? EXPIRES;
    return { is: 'done', value: isOurs ? { ...this.known(name), expiresAt } : 'foreign' };
  }

  private known(name: string): Registered {
    const holder = this.holders.get(name);
    const createdAt = typeof holder === 'object' && !this.isWithoutDays ? holder.startedAt : null;
    return { name, id: null, createdAt, expiresAt: EXPIRES };
  }

  /** A request that was lost is executed at last. */
  executeLate(name: string): void {
    const attempt = this.unheard.get(name);
    if (!attempt) throw new Error(`no request for ${name} was lost`);
    this.holders.set(name, attempt);
  }

  /** The registry decides about a name that is pending. */
  decide(name: string, outcome: 'done' | 'refused'): void {
    const attempt = this.waiting.get(name);
    if (!attempt) throw new Error(`${name} is not pending`);
    if (outcome === 'done') this.holders.set(name, attempt);
    this.waiting.delete(name);
    const { clTRID } = attempt;
    this.messages.push({ id: `${this.messages.length}`, name, clTRID, outcome, text: 'decided' });
  }

  async poll(take: (message: RegistrarMessage) => Promise<void>): Promise<Outcome<number>> {
    const messages = this.messages.splice(0);
    for (const message of messages) await take(message);
    return { is: 'done', value: messages.length };
  }

  async balance(): Promise<Outcome<{ cents: number }>> {
    return { is: 'done', value: { cents: this.cents } };
  }

  /** By its old end, which a second sending names in vain. */
  async renew({ name, years, expiresAt }: Renewal): Promise<Outcome<Registered>> {
    if (this.isAway) return AWAY;
    const fault = this.faults.get(name)?.shift();
    if (fault === 'request_lost') return { is: 'unknown', why: 'the connection was cut' };
    if (fault === 'pending') return { is: 'pending', reference: null };
    if (typeof fault === 'object')
      return { is: 'refused', reason: fault.refused, code: '2306', text: `refused: ${fault.refused}` };
    const end = this.ends.get(name) ?? EXPIRES;
    const isFirst = end.getTime() === expiresAt.getTime();
    const renewed = new Date(end);
    if (isFirst) {
      renewed.setUTCFullYear(end.getUTCFullYear() + years);
      this.ends.set(name, renewed);
      this.renewals.push(name);
    }
    return fault === 'reply_lost'
      ? { is: 'unknown', why: 'the connection was cut' }
      : { is: 'done', value: { ...this.tell(name, renewed), createdAt: null } };
  }

  async findRenewal({ name, expiresAt }: Renewal): Promise<Outcome<Registered | 'none'>> {
    if (this.isAway) return { is: 'unknown', why: 'no session' };
    const end = this.ends.get(name) ?? EXPIRES;
    return { is: 'done', value: end > expiresAt ? { ...this.known(name), expiresAt: end } : 'none' };
  }

  async cancel({ name, password }: Attempt): Promise<Outcome<null>> {
    if (this.isAway) return AWAY;
    const fault = this.faults.get(name)?.shift();
    if (fault === 'killed_before') throw new Error('killed');
    if (typeof fault === 'object')
      return { is: 'refused', reason: fault.refused, code: '2304', text: `refused: ${fault.refused}` };
    const holder = this.holders.get(name);
    const isOurs = holder && holder !== 'somebody' && holder.password === password;
    if (holder && !isOurs) return { is: 'refused', reason: 'taken', code: 'info', text: 'not of this order' };
    this.holders.delete(name);
    return fault === 'reply_lost'
      ? { is: 'unknown', why: 'the connection was cut' }
      : { is: 'done', value: null };
  }

  async delegate({ name }: Attempt): Promise<Outcome<null>> {
    if (this.isAway) return AWAY;
    if (!this.setsNameServers)
      return { is: 'refused', reason: 'unsupported', code: 'API', text: 'no such command' };
    return this.holders.has(name)
      ? { is: 'done', value: null }
      : { is: 'refused', reason: 'taken', code: 'info', text: 'none' };
  }

  async list(): Promise<Outcome<{ names: []; next: null }>> {
    return { is: 'done', value: { names: [], next: null } };
  }
}

const AWAY = { is: 'refused', reason: 'away', code: 'connect', text: 'no connection' } as const;
const EXPIRES = new Date('2027-11-27T00:00:00Z');
