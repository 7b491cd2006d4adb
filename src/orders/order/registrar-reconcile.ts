import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database } from '../../db/database.js';
import { fillIn, t } from '../../texts/texts.js';
import type { NamedKind, Work, WorkCursor, WorkResult } from '../../work/kind.js';
import { OrderingStops } from '../ledger/ordering-stops.repository.js';
import {
  type ListedName,
  type Outcome,
  type Refusal,
  type Registered,
  type Registrar,
  REGISTRARS,
  type Registrars,
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
/** Days and zones of registrars differ. */
const SAME_END_MS = 36 * HOUR_MS;
type SeenFinding = Omit<Finding, 'words'>;
const NOT_NOW: readonly Refusal[] = ['away', 'busy', 'credentials'];

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
    const place = await this.state.readPlace();
    // What another database had begun is begun again.
    let next: WorkCursor = cursor?.place === place ? cursor : { place };
    let againInMs: number | undefined;
    for (const registrar of this.registrars.all) {
      if (registrar.capabilities().hasList) {
        const late = await this.compareList(registrar, place, next, now, signal);
        if (late === null) againInMs = AGAIN_MS;
        else next = late;
        continue;
      }
      const part = await this.compareByAsking(registrar, next, now, signal);
      next = part.cursor;
      if (part.isAway) againInMs = AGAIN_MS;
      else if (!part.isWhole && (await this.isRestored())) againInMs ??= NEXT_PART_MS;
    }
    return { cursor: next, againInMs };
  }

  private async isRestored(): Promise<boolean> {
    return (await this.stops.list()).some(({ reason }) => reason === 'restored');
  }

  /** @returns null where the list could not be read to its end */
  private async compareList(
    registrar: Registrar,
    place: string,
    cursor: WorkCursor,
    now: Date,
    signal: AbortSignal,
  ): Promise<WorkCursor | null> {
    const there = await this.readList(registrar, signal);
    const late = there && (await this.askAboutEnded(registrar, cursor, now, signal, there));
    if (!late) return null;
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
    await this.end(registrar.name, names, place, now, now);
    return late.cursor;
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

  /** One share of the names. The cursor has the number of the last order and when the pass began. */
  private async compareByAsking(registrar: Registrar, from: WorkCursor, now: Date, signal: AbortSignal) {
    const { name } = registrar;
    const late = await this.askAboutEnded(registrar, from, now, signal);
    if (!late) return { cursor: from, isWhole: false, isAway: true };
    const { cursor, found: renewedLate } = late;
    const [afterKey, beganKey, namesKey] = [`${name} after`, `${name} began`, `${name} names`];
    const began = new Date(String(cursor[beganKey] ?? now.toISOString()));
    let after = String(cursor[afterKey] ?? '0');
    let names = Number(cursor[namesKey] ?? 0);
    const at = (): WorkCursor => ({
      ...cursor,
      ...{ [afterKey]: after, [beganKey]: began.toISOString(), [namesKey]: names },
    });
    const settledBefore = new Date(now.getTime() - SETTLED_MS);
    const ours = await this.rows.listNames(name, after, ASKED_AN_HOUR, settledBefore);
    for (const one of ours) {
      if (signal.aborted) return { cursor: at(), isWhole: false, isAway: false };
      const found = one.attempt && (await registrar.find(one.attempt));
      if (found?.is === 'refused' && NOT_NOW.includes(found.reason))
        return { cursor: at(), isWhole: false, isAway: true };
      if (found) await this.note(compareFound(name, one, found).filter(isNoneOf(renewedLate)), began);
      after = one.number;
      names += 1;
    }
    if (ours.length === ASKED_AN_HOUR) return { cursor: at(), isWhole: false, isAway: false };
    await this.end(name, names, String(cursor.place), began, now);
    const ended = [afterKey, beganKey, namesKey];
    const rest = Object.fromEntries(Object.entries(cursor).filter(([key]) => !ended.includes(key)));
    return { cursor: rest, isWhole: true, isAway: false };
  }

  /**
   * A registrar that executes an attempt after its order ended has what no order pays.
   *
   * @param there its list; left out: it has none
   * @returns the cursor behind the last order asked about, and the findings; null: not all of them were asked about
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
    const known = await this.rows.listOpen(name, ENDED_ASKED_AN_HOUR);
    const ended = await this.rows.listEndedAttempts(name, since, after, ENDED_ASKED_AN_HOUR);
    const late: SeenFinding[] = [];
    for (const one of [...known, ...ended]) {
      if (signal.aborted) return null;
      if (there && !there.has(one.attempt.name)) continue;
      const found = await findLate(registrar, one);
      if (found.is === 'refused' && NOT_NOW.includes(found.reason)) return null;
      if (found.is !== 'done') late.push(...(await this.keepUnanswered(name, one, found, now)));
      else if (found.value) late.push(await this.noteLate(name, one, found.value, now));
    }
    const last = ended.length < ENDED_ASKED_AN_HOUR ? '0' : (ended.at(-1)?.number ?? '0');
    return { cursor: { ...cursor, [key]: last }, found: late };
  }

  private async noteLate(
    registrar: string,
    { number, attempt, knownEnd }: EndedAttempt,
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
    { attempt: { name }, knownEnd }: EndedAttempt,
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

  private async end(registrar: string, names: number, place: string, began: Date, now: Date): Promise<void> {
    await this.state.endFindings(registrar, RECONCILED, began);
    await this.state.noteReconciled(registrar, names, place, now);
  }
}

/** A late execution has one finding, of its own kind. */
const isNoneOf = (known: readonly SeenFinding[]) => (one: Finding) =>
  known.every(({ kind, subject }) => kind !== one.kind || subject !== one.subject);

/** What a registrar has of an attempt that ended without success; null: nothing. */
async function findLate(
  registrar: Registrar,
  { attempt, knownEnd }: EndedAttempt,
): Promise<Outcome<Registered | null>> {
  const { clTRID: id, name, years } = attempt;
  const found = await (knownEnd
    ? registrar.findRenewal({ id, name, years, expiresAt: new Date(knownEnd.getTime() + SAME_END_MS) })
    : registrar.find(attempt));
  if (found.is !== 'done') return found;
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
  found: Outcome<Registered | 'none' | 'foreign'>,
): Finding[] {
  if (found.is === 'pending') return [];
  if (found.is !== 'done') return [finding(registrar, domain, 'unanswered', { said: wordsOf(found) })];
  const { value } = found;
  if (value === 'none') return [finding(registrar, domain, 'notRegistered')];
  if (value === 'foreign') return [finding(registrar, domain, 'ofAnother')];
  return [
    ...compareEnds(registrar, domain, expiresAt, value.expiresAt),
    ...(value.isOfAnother ? [finding(registrar, domain, 'otherContact')] : []),
  ];
}

function compareEnds(registrar: string, domain: string, ours: Date | null, theirs: Date | null): Finding[] {
  if (!ours || !theirs || Math.abs(ours.getTime() - theirs.getTime()) <= SAME_END_MS) return [];
  const [here, there] = [dayOf(ours), dayOf(theirs)];
  return [finding(registrar, domain, 'otherEnd', { there, here })];
}

function wordsOf(outcome: Exclude<Outcome<unknown>, { is: 'done' }>): string {
  if (outcome.is === 'refused') return outcome.text;
  return outcome.is === 'unknown' ? outcome.why : 'pending';
}
