import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database } from '../../db/database.js';
import { fillIn, t } from '../../texts/texts.js';
import type { NamedKind, Work, WorkCursor, WorkResult } from '../../work/kind.js';
import { OrderingStops } from '../ledger/ordering-stops.repository.js';
import {
  type Attempt,
  type Found,
  type ListedName,
  NOT_NOW,
  type Outcome,
  type Registered,
  type Registrar,
  REGISTRARS,
  type Registrars,
  SAME_DAY_MS,
} from '../registrar/port.js';
import {
  type Finding,
  finding,
  RECONCILED,
  RegistrarStateRepository,
} from '../registrar/registrar-state.repository.js';
import { OrderNoticeRepository } from './order-notice.repository.js';
import { type EndedAttempt, type NameOfOurs, ReconcileRepository } from './reconcile.repository.js';
import { dayOf } from './renewal-window.js';

const HOUR_MS = 3_600_000;
/** After a registrar that was away. */
const AGAIN_MS = 300_000;
/** Between the parts of a pass that ordering waits for. */
const NEXT_PART_MS = 60_000;
/** Names asked about in an hour, of a registrar without a list. */
export const ASKED_AN_HOUR = 200;
/** And attempts that ended without success, for so long after their end. */
const ENDED_ASKED_AN_HOUR = 50;
const EXECUTED_WITHIN_MS = 7 * 24 * HOUR_MS;
const PAGES = 2_000;
const AT_ONCE = 500;
/** An order that was settled shortly before may have been listed before it was. */
const SETTLED_MS = 600_000;
type SeenFinding = Omit<Finding, 'words'>;

/**
 * Compares the orders with what each registrar has: with its list, or without one by asking about a bounded share of
 * the names an hour. Findings are kept for operators. A customer is notified of one kind alone: a name that the
 * registrar registered or renewed after its order had ended. Nothing else is done about them.
 */
@Injectable()
export class RegistrarReconcile implements NamedKind {
  readonly name = 'registrar-reconcile';
  readonly everyMs = HOUR_MS;
  readonly deadlineMs = 600_000;
  private readonly logger = new Logger('Registrars');

  constructor(
    private readonly state: RegistrarStateRepository,
    private readonly rows: ReconcileRepository,
    private readonly database: Database,
    private readonly notices: OrderNoticeRepository,
    private readonly stops: OrderingStops,
    @Inject(REGISTRARS) private readonly registrars: Registrars,
  ) {}

  async run({ cursor }: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    await this.stops.noteRestored(now);
    const { place, since } = await this.state.readPlace();
    // What another database had begun is begun again.
    const isSame = cursor?.place === place && (cursor.since ?? '') === since;
    let next: WorkCursor = isSame ? cursor : { place, since };
    let againInMs: number | undefined;
    for (const registrar of this.registrars.all) {
      const part = registrar.capabilities().hasList
        ? await this.compareList(registrar, next, now, signal)
        : await this.compareByAsking(registrar, next, now, signal);
      next = part.cursor;
      if (part.isAway) againInMs = AGAIN_MS;
      else if (!part.isWhole && (await this.isRestored())) againInMs ??= NEXT_PART_MS;
    }
    return { cursor: next, againInMs };
  }

  private async isRestored(): Promise<boolean> {
    return (await this.stops.list()).some(({ reason }) => reason === 'restored');
  }

  private async compareList(
    registrar: Registrar,
    from: WorkCursor,
    now: Date,
    signal: AbortSignal,
  ): Promise<Part> {
    const there = await this.readList(registrar, signal);
    const late = there && (await this.askAboutEnded(registrar, from, now, signal, there));
    if (!late) return { cursor: from, isWhole: false, isAway: true };
    const pass = passIn(late.cursor, registrar.name, now);
    const unknown = await this.rows.listUnknown(registrar.name, [...there.keys()]);
    const strangers = unknown.map(({ name, ended }) =>
      ended === null
        ? finding(registrar.name, name, 'unknownHere')
        : finding(registrar.name, name, 'endedWithout', { number: ended }),
    );
    await this.note(strangers.filter(isNoneOf(late.found)), now);
    let names = 0;
    for (let after: string | undefined = '0'; after !== undefined;) {
      const settledBefore = new Date(now.getTime() - SETTLED_MS);
      const ours = await this.rows.listNames(registrar.name, after, AT_ONCE, settledBefore);
      const findings = ours.flatMap((name) => compareListed(registrar.name, name, there.get(name.domain)));
      await this.note(findings.filter(isNoneOf(late.found)), now);
      names += ours.length;
      after = ours.length < AT_ONCE ? undefined : ours.at(-1)?.number;
    }
    return this.end(registrar.name, late.cursor, { ...pass, names }, now);
  }

  private async readList(
    registrar: Registrar,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ListedName> | null> {
    const there = new Map<string, ListedName>();
    let cursor: string | null = null;
    for (let page = 0; page < PAGES && !signal.aborted; page += 1) {
      const listed: Awaited<ReturnType<Registrar['list']>> = await registrar.list(cursor);
      if (listed.is !== 'done') {
        this.logger.warn(`The list of ${registrar.name} was not read to its end: ${wordsOf(listed)}`);
        return null;
      }
      for (const one of listed.value.names) there.set(one.name, one);
      cursor = listed.value.next;
      if (cursor === null) return there;
    }
    return null;
  }

  /** One share of the names. */
  private async compareByAsking(
    registrar: Registrar,
    from: WorkCursor,
    now: Date,
    signal: AbortSignal,
  ): Promise<Part> {
    const { name } = registrar;
    const late = await this.askAboutEnded(registrar, from, now, signal);
    if (!late) return { cursor: from, isWhole: false, isAway: true };
    const { cursor, found: renewedLate } = late;
    let pass = passIn(cursor, name, now);
    const part = (isAway: boolean): Part => ({
      cursor: withPass(cursor, name, pass),
      isWhole: false,
      isAway,
    });
    const settledBefore = new Date(now.getTime() - SETTLED_MS);
    const ours = await this.rows.listNames(name, pass.after, ASKED_AN_HOUR, settledBefore);
    for (const one of ours) {
      if (signal.aborted) return part(false);
      const found = one.attempt && (await registrar.find(one.attempt));
      if (found?.is === 'refused' && NOT_NOW.includes(found.reason)) return part(true);
      if (found) await this.note(compareFound(name, one, found).filter(isNoneOf(renewedLate)), pass.began);
      pass = { ...pass, after: one.number, names: pass.names + 1 };
    }
    return ours.length === ASKED_AN_HOUR ? part(false) : this.end(name, cursor, pass, now);
  }

  /**
   * A registrar that executes an attempt after its order ended has what no order pays. A share of the attempts: the
   * pass ends once all that are known have had their turn, or a finding would end that was not looked at.
   *
   * @param there its list; left out: it has none
   * @returns the cursor behind the last order asked about, and the findings; null: the share was not asked about
   */
  private async askAboutEnded(
    registrar: Registrar,
    cursor: WorkCursor,
    now: Date,
    signal: AbortSignal,
    there?: ReadonlyMap<string, ListedName>,
  ): Promise<{ readonly cursor: WorkCursor; readonly found: readonly SeenFinding[] } | null> {
    const { name } = registrar;
    const key = `${name} ended`;
    const since = new Date(now.getTime() - EXECUTED_WITHIN_MS);
    const after = String(cursor[key] ?? '0');
    const pass = passIn(cursor, name, now);
    const known = await this.rows.listOpen(name, pass.known, ENDED_ASKED_AN_HOUR);
    const ended = await this.rows.listEndedAttempts(name, since, after, ENDED_ASKED_AN_HOUR);
    const late: SeenFinding[] = [];
    for (const { attempt, ...rest } of [...known, ...ended]) {
      if (signal.aborted) return null;
      if (!attempt || (there && !there.has(attempt.name))) continue;
      const one = { ...rest, attempt };
      const found = await findLate(registrar, one);
      if (found.is === 'refused' && NOT_NOW.includes(found.reason)) return null;
      if (found.is !== 'done') late.push(...(await this.keepUnanswered(name, one, found, now)));
      else if (found.value) late.push(await this.noteLate(name, one, found.value, now));
    }
    const next = withPass({ ...cursor, [key]: behind(ended) }, name, {
      ...pass,
      known: behind(known),
      isKnownWhole: pass.isKnownWhole || known.length < ENDED_ASKED_AN_HOUR,
    });
    return { cursor: next, found: late };
  }

  private async noteLate(
    registrar: string,
    { number, attempt, knownEnd }: AskedAttempt,
    { expiresAt }: Registered,
    at: Date,
  ): Promise<Finding> {
    const there = expiresAt ? dayOf(expiresAt) : '?';
    const { name, order: id } = attempt;
    const noted = finding(registrar, name, knownEnd ? 'renewedLate' : 'executedLate', { number, id, there });
    await this.note([noted], at);
    const words = knownEnd ? t.orders.reasons.renewedLate : t.orders.reasons.executedLate;
    const reason = fillIn(words, { registrar, day: dayOf(at) });
    const type = 'registration.executed_late';
    await this.database.transaction(async (transaction) => {
      if (await this.rows.noteExecutedLate(attempt, { reason, expiresAt, at }, transaction))
        await this.notices.insert({ orderId: attempt.order, type, reason, at }, transaction);
    });
    return noted;
  }

  /** The next pass asks about it again; an earlier finding stays until an answer comes. */
  private async keepUnanswered(
    registrar: string,
    { attempt: { name }, knownEnd }: AskedAttempt,
    said: Exclude<Outcome<unknown>, { is: 'done' }>,
    at: Date,
  ): Promise<SeenFinding[]> {
    const unanswered = finding(registrar, name, 'unanswered', { said: wordsOf(said) });
    await this.note([unanswered], at);
    const before = { registrar, kind: knownEnd ? 'expiry' : 'unknown_here', subject: name } as const;
    await this.state.keepFinding(before, at);
    return [unanswered, before];
  }

  private async note(findings: readonly Finding[], seenAt: Date): Promise<void> {
    if (findings.length === 0) return;
    for (const { registrar, kind, subject, words } of findings)
      this.logger.warn(`${registrar}, ${subject} (${kind}): ${words}`);
    await this.state.noteFindings(findings, seenAt);
  }

  /** All names were compared. */
  private async end(registrar: string, cursor: WorkCursor, pass: Pass, now: Date): Promise<Part> {
    if (!pass.isKnownWhole)
      return { cursor: withPass(cursor, registrar, pass), isWhole: false, isAway: false };
    await this.state.endFindings(registrar, RECONCILED, pass.began);
    await this.state.noteReconciled(registrar, pass.names, String(cursor.place), now);
    return { cursor: withPass(cursor, registrar, null), isWhole: true, isAway: false };
  }
}

type AskedAttempt = EndedAttempt & { readonly attempt: Attempt };

/** What a run did of a pass over all names of a registrar. */
interface Part {
  readonly cursor: WorkCursor;
  readonly isWhole: boolean;
  readonly isAway: boolean;
}

/** A pass that is under way, as the cursor has it. */
interface Pass {
  readonly began: Date;
  /** The number of the last order whose name was asked about, and how many there were. */
  readonly after: string;
  readonly names: number;
  /** The same of attempts that are known to be late or unanswered, and whether each has had its turn. */
  readonly known: string;
  readonly isKnownWhole: boolean;
}

const PASS_KEYS = [
  'began',
  'after',
  'names',
  'known',
  'isKnownWhole',
] as const satisfies readonly (keyof Pass)[];

function passIn(cursor: WorkCursor, registrar: string, now: Date): Pass {
  const value = (key: keyof Pass) => cursor[`${registrar} ${key}`];
  return {
    began: new Date(String(value('began') ?? now.toISOString())),
    after: String(value('after') ?? '0'),
    names: Number(value('names') ?? 0),
    known: String(value('known') ?? '0'),
    isKnownWhole: value('isKnownWhole') === true,
  };
}

/** @param pass null: it has ended */
function withPass(cursor: WorkCursor, registrar: string, pass: Pass | null): WorkCursor {
  const keys = PASS_KEYS.map((key) => `${registrar} ${key}`);
  const rest = Object.fromEntries(Object.entries(cursor).filter(([key]) => !keys.includes(key)));
  if (pass === null) return rest;
  const { began, ...places } = pass;
  const kept = Object.entries({ began: began.toISOString(), ...places });
  return { ...rest, ...Object.fromEntries(kept.map(([key, value]) => [`${registrar} ${key}`, value])) };
}

/** Where the next share begins. */
function behind(asked: readonly EndedAttempt[]): string {
  return asked.length < ENDED_ASKED_AN_HOUR ? '0' : (asked.at(-1)?.number ?? '0');
}

/** A late execution has one finding, of its own kind. */
const isNoneOf = (known: readonly SeenFinding[]) => (one: Finding) =>
  known.every(({ kind, subject }) => kind !== one.kind || subject !== one.subject);

/** What a registrar has of an attempt that ended without success; null: nothing. */
async function findLate(
  registrar: Registrar,
  { attempt, knownEnd }: AskedAttempt,
): Promise<Outcome<Registered | null>> {
  const { clTRID: id, name, years } = attempt;
  const found = await (knownEnd
    ? registrar.findRenewal({ id, name, years, expiresAt: new Date(knownEnd.getTime() + SAME_DAY_MS) })
    : registrar.find(attempt));
  if (found.is !== 'done') return found;
  if (found.value === 'unproven') return { is: 'unknown', why: t.orders.reasons.unproven };
  return { is: 'done', value: typeof found.value === 'object' ? found.value : null };
}

function compareListed(
  registrar: string,
  { domain, expiresAt, attempt }: NameOfOurs,
  listed: ListedName | undefined,
): Finding[] {
  if (!listed) return [finding(registrar, domain, 'notListed')];
  const here = attempt?.registrant.id;
  const there = listed.registrantId;
  const isOther = here !== undefined && there !== null && there !== here;
  return [
    ...compareEnds(registrar, domain, expiresAt, listed.expiresAt),
    ...(isOther ? [finding(registrar, domain, 'otherNumber', { there, here })] : []),
  ];
}

function compareFound(
  registrar: string,
  { domain, expiresAt }: NameOfOurs,
  found: Outcome<Found>,
): Finding[] {
  if (found.is === 'pending') return [];
  if (found.is !== 'done') return [finding(registrar, domain, 'unanswered', { said: wordsOf(found) })];
  const { value } = found;
  if (value === 'none') return [finding(registrar, domain, 'notRegistered')];
  if (value === 'foreign') return [finding(registrar, domain, 'ofAnother')];
  if (value === 'unproven') return [finding(registrar, domain, 'unproven')];
  return [
    ...compareEnds(registrar, domain, expiresAt, value.expiresAt),
    ...(value.isOfAnother ? [finding(registrar, domain, 'otherContact')] : []),
  ];
}

function compareEnds(registrar: string, domain: string, ours: Date | null, theirs: Date | null): Finding[] {
  if (!ours || !theirs || Math.abs(ours.getTime() - theirs.getTime()) <= SAME_DAY_MS) return [];
  const [here, there] = [dayOf(ours), dayOf(theirs)];
  return [finding(registrar, domain, 'otherEnd', { there, here })];
}

function wordsOf(outcome: Exclude<Outcome<unknown>, { is: 'done' }>): string {
  if (outcome.is === 'refused') return outcome.text;
  return outcome.is === 'unknown' ? outcome.why : 'pending';
}
