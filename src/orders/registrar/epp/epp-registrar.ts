import { SUFFIXES } from '../../../domains/schema/domain.js';
import * as port from '../port.js';
import { type Lost, isLost } from './connection.js';
import { type EppClient, type EppSession, newTransactionId } from './epp-client.js';
import * as frames from './frames.js';
import {
  CODES,
  outcomeOf,
  readCheck,
  readHosts,
  readPending,
  readRegistered,
  type Reply,
} from './replies.js';

type Outcome<T> = port.Outcome<T>;
const { refused } = port;

export interface EppTerms {
  readonly name: string;
  /** Ours at the registry. */
  readonly client: string;
  readonly yearCents: port.YearTable;
  readonly cancelWindowHours: number;
}

/** Messages read in one run; the others wait for the next. */
const MAX_MESSAGES = 100;
const GST_PERCENT = 10;

/** A registry with EPP and the .au extension (RFC 5730 to 5734). */
export class EppRegistrar implements port.Registrar {
  readonly name: string;

  constructor(
    private readonly terms: EppTerms,
    private readonly client: EppClient,
  ) {
    this.name = terms.name;
  }

  capabilities(): port.Capabilities {
    const { yearCents, cancelWindowHours } = this.terms;
    return {
      ...{
        suffixes: SUFFIXES.filter((suffix) => yearCents[suffix] !== undefined),
        years: port.REGISTRY_YEARS,
        yearCents,
        cancelWindowHours,
      },
      // EPP has a command for neither.
      ...{ hasBalance: false, hasList: false, setsNameServers: true },
    };
  }

  /** From the operator's table: EPP knows no prices. */
  quote(name: string, years: number, of: port.Priced): Promise<Outcome<port.Price>> {
    const yearCents = this.terms.yearCents[name.slice(name.indexOf('.') + 1)]?.[of];
    if (yearCents === undefined || !port.REGISTRY_YEARS.includes(years))
      return Promise.resolve(refused('unsupported', 'terms', 'Not a suffix or period of this registrar.'));
    const cents = yearCents * years;
    const gstCents = Math.round((cents * GST_PERCENT) / (100 + GST_PERCENT));
    return Promise.resolve({ is: 'done', value: { cents, gstCents } });
  }

  check(name: string): Promise<Outcome<{ available: boolean; reason: string | null }>> {
    return this.client.within(async ({ send }) => {
      const reply = await send('check', frames.checkDomainFrame(name, newTransactionId()), null);
      return read(reply, ({ data }) => readCheck(data, name));
    });
  }

  async register(attempt: port.Attempt): Promise<Outcome<port.Registered>> {
    const once = () => this.client.within((session) => this.create(session, attempt));
    const outcome = await once();
    // The session was not logged in, so nothing was done.
    return isNotLoggedIn(outcome) ? once() : outcome;
  }

  private async create(session: EppSession, attempt: port.Attempt): Promise<Outcome<port.Registered>> {
    const contact = await this.createContact(session, attempt);
    if (contact.is !== 'done') return contact;
    const { clTRID, name } = attempt;
    for (const host of attempt.nameServers) {
      const made = await this.createHost(session, host, clTRID);
      if (made.is !== 'done') return made;
    }
    const reply = await session.send('create', frames.createDomainFrame(attempt, session.au), clTRID);
    if (isLost(reply)) return lostWrite(reply);
    if (reply.code === CODES.exists) return this.settleExisting(session, attempt, reply);
    return outcomeOf(reply, ({ data }) => readRegistered(data, name));
  }

  // An earlier sending of the attempt may have made it.
  private async settleExisting(
    session: EppSession,
    attempt: port.Attempt,
    reply: Reply,
  ): Promise<Outcome<port.Registered>> {
    const found = await this.findIn(session, attempt);
    if (found.is === 'pending') return found;
    if (found.is !== 'done') return { is: 'unknown', why: 'it exists, and whose it is was not answered' };
    const { value } = found;
    if (value === 'foreign') return refused('taken', String(reply.code), reply.text);
    return value === 'none' || value === 'unproven'
      ? { is: 'unknown', why: `it exists, and was found to be: ${value}` }
      : { is: 'done', value };
  }

  // A name needs its contact, so that any failure here means: not registered.
  private async createContact(session: EppSession, attempt: port.Attempt): Promise<Outcome<true>> {
    const { registrant, clTRID, contactId } = attempt;
    const frame = frames.createContactFrame(attempt, registrant, newTransactionId());
    const reply = await session.send('contact', frame, clTRID);
    if (isLost(reply)) return refused('away', reply.lost, reply.detail);
    if (reply.code === CODES.exists) {
      const info = frames.contactInfoFrame(contactId, newTransactionId());
      const found = await session.send('contact info', info, clTRID);
      if (isLost(found)) return refused('away', found.lost, found.detail);
      if (found.code === CODES.done && found.data?.textAt('clID') === this.terms.client)
        return { is: 'done', value: true };
      return refused('command', String(reply.code), 'Another registrar has the id of the contact.');
    }
    const outcome = outcomeOf(reply, (): true => true);
    if (outcome.is === 'pending') return { is: 'done', value: true };
    return outcome.is === 'unknown' ? refused('away', String(reply.code), reply.text) : outcome;
  }

  // As with contacts: the name needs it.
  private async createHost(session: EppSession, host: string, clTRID: string): Promise<Outcome<true>> {
    const reply = await session.send('host', frames.createHostFrame(host, newTransactionId()), clTRID);
    if (isLost(reply)) return refused('away', reply.lost, reply.detail);
    if (reply.code === CODES.exists || reply.code === CODES.pending) return { is: 'done', value: true };
    const outcome = outcomeOf(reply, (): true => true);
    if (outcome.is === 'refused' || outcome.is === 'done') return outcome;
    return refused('away', String(reply.code), reply.text);
  }

  find(attempt: port.Attempt): Promise<Outcome<port.Found>> {
    return this.client.within((session) => this.findIn(session, attempt));
  }

  private async findIn({ send }: EppSession, attempt: port.Attempt): Promise<Outcome<port.Found>> {
    const { name, password, clTRID } = attempt;
    const ask = (proof: string | null) =>
      send('info', frames.domainInfoFrame(name, proof, newTransactionId()), clTRID);
    let reply = await ask(password);
    // The name has another password. Whose it is may be told without one.
    if (!isLost(reply) && (reply.code === CODES.wrongPassword || reply.code === CODES.notAuthorised))
      reply = await ask(null);
    if (!isLost(reply) && reply.code === CODES.missing) return { is: 'done', value: 'none' };
    // The client that sponsors a name may always read it (RFC 5731, 3.1.2).
    if (!isLost(reply) && reply.code === CODES.notAuthorised) return { is: 'done', value: 'foreign' };
    return read<port.Found>(reply, ({ data }) => {
      const registered = readRegistered(data, name);
      const holder = data?.textAt('clID');
      if (!registered || !data || !holder) return null;
      if (holder !== this.terms.client) return 'foreign';
      if (data.textAt('authInfo', 'pw') !== password) {
        // Its contact is of this order alone: an attempt that a restored backup lacks has another password.
        const registrant = data.textAt('registrant');
        if (!registrant) return null;
        if (registrant !== attempt.contactId)
          return port.foreignOrUnproven(attempt, registrant, registered.createdAt);
      }
      const statuses = data.all('status').map(({ attributes }) => attributes.s);
      // Deleted: it can be restored for some days, and is no longer registered.
      if (statuses.includes('pendingDelete')) return 'none';
      return statuses.includes('pendingCreate')
        ? { is: 'pending', reference: clTRID }
        : {
            ...registered,
            isOfAnother: data.textAt('registrant') !== attempt.contactId,
            delegation: { hosts: readHosts(data), isChanging: statuses.includes('pendingUpdate') },
          };
    });
  }

  renew(renewal: port.Renewal): Promise<Outcome<port.Registered>> {
    return this.client.within(async ({ send }) => {
      const reply = await send('renew', frames.renewDomainFrame(renewal), renewal.id);
      if (isLost(reply)) return lostWrite(reply);
      const outcome = outcomeOf(reply, ({ data }) => readRegistered(data, renewal.name));
      if (outcome.is === 'done' && !isAfter(outcome.value, renewal.expiresAt))
        return { is: 'unknown', why: 'accepted, without a later end' };
      if (outcome.is !== 'refused') return outcome;
      // Refused, perhaps, because an earlier sending was executed.
      const frame = frames.domainInfoFrame(renewal.name, null, newTransactionId());
      const info = await send('info', frame, renewal.id);
      const now = isLost(info) ? null : readRegistered(info.data, renewal.name);
      return now && isAfter(now, renewal.expiresAt) ? { is: 'done', value: now } : outcome;
    });
  }

  /** By its end alone: a renewal that is sent again may be executed again. */
  findRenewal({ id, name, expiresAt }: port.Renewal): Promise<Outcome<port.Registered | 'none'>> {
    return this.client.within<port.Registered | 'none'>(async ({ send }) => {
      const reply = await send('info', frames.domainInfoFrame(name, null, newTransactionId()), id);
      if (isLost(reply)) return { is: 'unknown', why: `${reply.lost}: ${reply.detail}` };
      const known = reply.code === CODES.done ? readRegistered(reply.data, name) : null;
      // Without an end, and of a name of another client, the reply says nothing of the renewal.
      if (!known?.expiresAt || !reply.data || reply.data.textAt('clID') !== this.terms.client)
        return { is: 'unknown', why: `its end was not told: ${reply.code} ${reply.text}` };
      if (isAfter(known, expiresAt)) return { is: 'done', value: known };
      const isPending = reply.data.all('status').some(({ attributes }) => attributes.s === 'pendingRenew');
      return isPending ? { is: 'pending', reference: id } : { is: 'done', value: 'none' };
    });
  }

  /** Only the name of this attempt: after an earlier deletion another may have it. */
  cancel(attempt: port.Attempt): Promise<Outcome<null>> {
    const { name, clTRID } = attempt;
    return this.client.within<null>(async (session) => {
      const found = await this.findIn(session, attempt);
      if (found.is === 'refused') return found;
      // Nothing was deleted so far.
      if (found.is !== 'done')
        return refused('away', 'info', found.is === 'unknown' ? found.why : 'it is pending');
      if (found.value === 'none') return { is: 'done', value: null };
      if (found.value === 'foreign') return refused('taken', 'info', 'The name is not of this order.');
      if (found.value === 'unproven') return port.notProven('info');
      const reply = await session.send('delete', frames.deleteDomainFrame(name, newTransactionId()), clTRID);
      if (isLost(reply)) return lostWrite(reply);
      // Sent again after a lost reply: it is gone.
      if (reply.code === CODES.missing) return { is: 'done', value: null };
      const outcome = outcomeOf(reply, (): true => true);
      return outcome.is === 'done' ? { is: 'done', value: null } : outcome;
    });
  }

  async delegate(attempt: port.Attempt, nameServers: readonly string[]): Promise<Outcome<null>> {
    const once = () => this.client.within((session) => this.delegateIn(session, attempt, nameServers));
    const outcome = await once();
    return isNotLoggedIn(outcome) ? once() : outcome;
  }

  private async delegateIn(
    session: EppSession,
    attempt: port.Attempt,
    wished: readonly string[],
  ): Promise<Outcome<null>> {
    const { name, clTRID } = attempt;
    const found = await this.findIn(session, attempt);
    if (found.is === 'refused') return found;
    if (found.is !== 'done')
      return refused('away', 'info', found.is === 'unknown' ? found.why : 'it is pending');
    if (typeof found.value === 'string') return refused('taken', 'info', `The name is ${found.value}.`);
    const { hosts = [], isChanging = false } = found.value.delegation ?? {};
    const change = {
      add: wished.filter((host) => !hosts.includes(host)),
      remove: hosts.filter((host) => !wished.includes(host)),
    };
    if (change.add.length + change.remove.length === 0) return { is: 'done', value: null };
    if (isChanging) return { is: 'pending', reference: null };
    for (const host of change.add) {
      const made = await this.createHost(session, host, clTRID);
      if (made.is !== 'done') return made;
    }
    const frame = frames.delegateFrame(name, change, newTransactionId());
    const reply = await session.send('update', frame, clTRID);
    if (isLost(reply)) return lostWrite(reply);
    const outcome = outcomeOf(reply, (): true => true);
    if (outcome.is !== 'done') return outcome;
    // Another change may have come between the question and the command.
    const after = await this.findIn(session, attempt);
    const isSo = after.is === 'done' && typeof after.value === 'object' && isSame(after.value, wished);
    return isSo
      ? { is: 'done', value: null }
      : { is: 'unknown', why: 'its name servers are others after it' };
  }

  balance(): Promise<Outcome<{ cents: number }>> {
    return Promise.resolve(refused('unsupported', 'EPP', 'EPP tells no balance.'));
  }

  list(): Promise<Outcome<port.NamePage>> {
    return Promise.resolve(refused('unsupported', 'EPP', 'EPP has no list of names.'));
  }

  poll(take: (message: port.RegistrarMessage) => Promise<void>): Promise<Outcome<number>> {
    return this.client.within(async ({ send }) => {
      for (let count = 0; count < MAX_MESSAGES; count += 1) {
        const reply = await send('poll', frames.pollFrame(newTransactionId()), null);
        if (isLost(reply)) return { is: 'unknown', why: reply.lost };
        if (reply.code === CODES.noMessages) return { is: 'done', value: count };
        if (reply.code !== CODES.message || !reply.queue) return read<number>(reply, () => null);
        const { id, text } = reply.queue;
        const about = readPending(reply.data) ?? { name: null, clTRID: null, outcome: null };
        await take({ id, text, ...about });
        const acknowledged = await send('poll', frames.acknowledgeFrame(id, newTransactionId()), null);
        if (isLost(acknowledged)) return { is: 'unknown', why: acknowledged.lost };
      }
      return { is: 'done', value: MAX_MESSAGES };
    });
  }
}

/** What a question was answered; a lost question has changed nothing, but nothing is known. */
function read<T>(reply: Reply | Lost, take: (reply: Reply) => T | Outcome<T> | null): Outcome<T> {
  if (isLost(reply)) return { is: 'unknown', why: `${reply.lost}: ${reply.detail}` };
  const outcome = outcomeOf(reply, take);
  if (outcome.is !== 'done') return outcome;
  const { value } = outcome;
  return isOutcome(value) ? value : { is: 'done', value };
}

function isOutcome<T>(value: T | Outcome<T>): value is Outcome<T> {
  return typeof value === 'object' && value !== null && 'is' in value;
}

function isAfter({ expiresAt }: port.Registered, before: Date): boolean {
  return (expiresAt?.getTime() ?? 0) > before.getTime() + port.SAME_DAY_MS;
}

function isSame({ delegation }: port.Registered, wished: readonly string[]): boolean {
  const hosts = delegation?.hosts ?? [];
  return hosts.length === wished.length && hosts.every((host) => wished.includes(host));
}

function lostWrite({ wasSent, lost, detail }: Lost): Outcome<never> {
  return wasSent ? { is: 'unknown', why: `${lost}: ${detail}` } : refused('away', lost, detail);
}

function isNotLoggedIn(outcome: Outcome<unknown>): boolean {
  return outcome.is === 'refused' && outcome.code === String(CODES.notNow);
}
