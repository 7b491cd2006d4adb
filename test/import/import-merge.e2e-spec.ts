import fc from 'fast-check';
import type { RegistryState, DomainState } from '../../src/domains/schema/states.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { countsOf, importText } from '../support/import.js';
import { lifecycleOn } from '../support/lifecycle.js';
import { runs } from '../support/runs.js';

// Few, so that the same name and day come together in many ways.
const NAMES = ['reef.au', 'surf.com.au', 'x-9.org.au'];
const DAYS = ['2026-10-01', '2026-10-02', '2026-10-03'];
/** Purges run at three; the imports of a day come at noon, so its list is over and the next day's lies ahead. */
const NOON = 'T12:00:00Z';
const PURGE = 'T03:00:00Z';
const SECOND_ANSWER_MS = 5 * 60_000;

type FileKind = 'vouched' | 'named' | 'list';

interface FileRow {
  domain: string;
  wayback: number | null;
  day: string | null;
  hidden: boolean | null;
}

interface Step {
  file?: { kind: FileKind; today: string; rows: FileRow[] };
  answer?: { domain: string; state: RegistryState; at: string };
}

interface Name {
  state: DomainState;
  wayback: number;
  firstSeen: string | null;
  hidden: boolean;
  announced: boolean;
  checkedAt: string | null;
  purgeAt: string | null;
  registryState: RegistryState | null;
  freeSeenAt: string | null;
}

/** What the life of a name is meant to be, as plainly as it can be said, one name and one observation at a time. */
class Model {
  readonly names = new Map<string, Name>();
  readonly events: string[][] = [];

  importFile({
    kind,
    today,
    rows,
  }: {
    kind: FileKind;
    today: string;
    rows: FileRow[];
  }): Record<string, number> {
    const counts = { added: 0, changed: 0, unchanged: 0, rejected: 0, repeated: 0 };
    const said: string[] = [];
    for (const domain of new Set(rows.map((row) => row.domain))) {
      const [row] = rows
        .filter((one) => one.domain === domain)
        .sort(newestLast)
        .slice(-1);
      if (!row) continue;
      counts.repeated += rows.filter((one) => one.domain === domain).length - 1;
      const before = this.names.get(domain);
      const after = take(before, kind, today, row);
      said.push(...eventsOf(domain, before, after, kind));
      if (!before) counts.added++;
      else if (JSON.stringify({ ...before, announced: 0 }) === JSON.stringify({ ...after, announced: 0 }))
        counts.unchanged++;
      else counts.changed++;
      this.names.set(domain, after);
    }
    this.events.push(said.sort());
    return counts;
  }

  observe({ domain, state, at }: { domain: string; state: RegistryState; at: string }): void {
    const name = this.names.get(domain);
    if (!name || (name.checkedAt ?? '') > at || (name.freeSeenAt ?? '') > at) return;
    const hasPurgeAhead = name.state === 'listed' && (name.purgeAt ?? '') > at;
    const from = name.state === 'listed' && !hasPurgeAhead ? 'purged' : name.state;
    if (from === 'purged' && (name.purgeAt ?? '') > at) return;
    const wasPending = name.registryState === 'pending_delete';
    const isFirst = name.registryState === null;
    if (hasPurgeAhead)
      return void Object.assign(name, { registryState: state, checkedAt: at, freeSeenAt: null });
    const noted = { registryState: state, checkedAt: at, freeSeenAt: null };
    if (state === 'available') {
      const isNamed = ['unconfirmed', 'taken', 'rescued'].includes(from);
      const isExplained = !isNamed || wasPending || (from === 'unconfirmed' && isFirst);
      const isSecond =
        name.freeSeenAt !== null && Date.parse(at) - Date.parse(name.freeSeenAt) >= SECOND_ANSWER_MS;
      if (!isExplained && !isSecond)
        return void Object.assign(name, { registryState: state, freeSeenAt: name.freeSeenAt ?? at });
      const isNews = from === 'purged' || (from === 'unconfirmed' && isFirst) ? true : isNamed;
      Object.assign(name, noted, { state: 'available' });
      if (isNamed || from === 'purged') this.announce(domain, name, isNews ? 'domain.dropped' : null);
      return;
    }
    if (state === 'registered') {
      const to = from === 'purged' || from === 'rescued' ? 'rescued' : 'taken';
      Object.assign(name, noted, { state: to });
      if (from === 'purged') this.announce(domain, name, 'domain.rescued');
      else if (name.announced) this.announce(domain, name, 'domain.taken');
      return;
    }
    const to = from === 'available' || from === 'unconfirmed' ? 'unconfirmed' : from;
    Object.assign(name, noted, { state: to });
  }

  private announce(domain: string, name: Name, event: string | null): void {
    if (event === null || name.hidden || (event === 'domain.dropped' && name.announced)) return;
    if (event === 'domain.dropped') name.announced = true;
    if (event === 'domain.taken') name.announced = false;
    this.events.push([`${event} ${domain}`]);
  }
}

function newestLast(one: FileRow, other: FileRow): number {
  return (one.day ?? '').localeCompare(other.day ?? '');
}

function take(known: Name | undefined, kind: FileKind, today: string, row: FileRow): Name {
  const now = today + NOON;
  const name: Name = {
    ...(known ?? {
      state: 'unconfirmed',
      firstSeen: null,
      announced: false,
      checkedAt: null,
      purgeAt: null,
      registryState: null,
      freeSeenAt: null,
    }),
    wayback: (kind === 'list' ? null : row.wayback) ?? known?.wayback ?? 0,
    hidden: (kind === 'list' ? null : row.hidden) ?? known?.hidden ?? false,
  };
  const isLaterDay =
    known !== undefined && row.day !== null && known.firstSeen !== null && row.day > known.firstSeen;
  const anew = { firstSeen: row.day ?? name.firstSeen, freeSeenAt: null };
  if (kind === 'list') {
    const purgeAt = `${row.day ?? today}${PURGE}`;
    const isNews = (name.purgeAt ?? '') < purgeAt && (name.checkedAt ?? '') < purgeAt;
    if (isNews)
      return { ...name, ...anew, state: purgeAt > now ? 'listed' : 'purged', purgeAt, registryState: null };
  } else if (kind === 'vouched') {
    const isPurgedSince = ['listed', 'purged'].includes(name.state) && (name.purgeAt ?? '') > now;
    if ((name.checkedAt ?? '') <= now && !isPurgedSince) {
      const isDrop = known?.state !== 'available' || isLaterDay;
      const firstSeen = isDrop ? anew.firstSeen : (name.firstSeen ?? row.day);
      return { ...name, firstSeen, freeSeenAt: null, state: 'available', checkedAt: now };
    }
  } else if (known && ['taken', 'rescued'].includes(known.state) && row.day !== null) {
    const isNotBefore = row.day >= (known.checkedAt ?? '').slice(0, 10);
    if ((known.firstSeen ?? '') < row.day && isNotBefore) return { ...name, ...anew, state: 'unconfirmed' };
  }
  return { ...name, firstSeen: name.firstSeen ?? row.day };
}

/** Sets `announced` of what comes out. */
function eventsOf(domain: string, before: Name | undefined, after: Name, kind: FileKind): string[] {
  if (after.hidden) return before && !before.hidden ? [`domain.removed ${domain}`] : [];
  const isShownAgain = before?.hidden ?? false;
  const said: string[] = [];
  if (after.announced && ['listed', 'purged', 'taken', 'rescued'].includes(after.state)) {
    said.push(`domain.taken ${domain}`);
    after.announced = false;
  }
  const isNewList =
    after.state === 'listed' && (before?.state !== 'listed' || before.purgeAt !== after.purgeAt);
  if (isNewList || (after.state === 'listed' && isShownAgain)) said.push(`domain.listed ${domain}`);
  if (isShownAgain && !['available', 'listed'].includes(after.state)) said.push(`domain.restored ${domain}`);
  if (after.state !== 'available') return said;
  const isLaterDay =
    kind === 'vouched' &&
    before !== undefined &&
    before.firstSeen !== null &&
    (after.firstSeen ?? '') > before.firstSeen;
  const isDrop = before?.state !== 'available' || isLaterDay;
  const isKnown =
    (before?.announced ?? false) && (before?.state === 'unconfirmed' || before?.state === 'available');
  if (isShownAgain || (isDrop && !(isKnown && !isLaterDay))) {
    said.push(`domain.dropped ${domain}`);
    after.announced = true;
  }
  return said;
}

describe('any sequence of imports and registry answers', () => {
  let test: TestDatabase;

  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.close());

  const domain = fc.constantFrom(...NAMES);
  const row = fc.record({
    domain,
    wayback: fc.constantFrom(null, 0, 5, 12),
    day: fc.constantFrom(null, ...DAYS, ...DAYS),
    hidden: fc.constantFrom(null, null, true, false),
  });
  const file = fc
    .record({
      kind: fc.constantFrom<FileKind>('vouched', 'named', 'list', 'list'),
      today: fc.constantFrom(...DAYS),
      rows: fc.array(row, { minLength: 1, maxLength: 5 }),
    })
    // A drop list has a day in each row; only its days may lie ahead.
    .map(({ kind, today, rows }) => ({
      kind,
      today,
      rows: rows.map((one) => ({
        ...one,
        day: kind === 'list' ? (one.day ?? today) : one.day !== null && one.day > today ? today : one.day,
      })),
    }));
  const answer = fc.record({
    domain,
    state: fc.constantFrom<RegistryState>(
      'registered',
      'registered',
      'available',
      'available',
      'pending_delete',
      'reserved',
    ),
    at: fc.constantFrom(
      ...DAYS.flatMap((day) => [`${day}T02:50:00Z`, `${day}T03:10:00Z`, `${day}T20:00:00Z`]),
    ),
  });
  const steps: fc.Arbitrary<Step[]> = fc.array(
    fc.oneof(
      file.map((one) => ({ file: one })),
      answer.map((one) => ({ answer: one })),
    ),
    { minLength: 1, maxLength: 10 },
  );

  it.each([
    ['in one batch', undefined],
    ['name by name', 1],
  ])(
    'leaves what a plain model says, %s',
    async (_, batchRows) => {
      await fc.assert(
        fc.asyncProperty(steps, async (sequence) => {
          await empty();
          const model = new Model();
          for (const step of sequence) {
            if (step.file) {
              expect(await load(step.file, batchRows)).toEqual(model.importFile(step.file));
            } else if (step.answer) {
              const { at, ...said } = step.answer;
              model.observe(step.answer);
              const observed = {
                state: said.state,
                source: 'rdap',
                checkedAt: new Date(at),
                registeredAt: null,
              };
              await lifecycleOn(test.database).observeAnswer(said.domain, observed);
            }
            await expectDataset(model);
          }
          // Whatever the last file was, it says nothing new a second time.
          const last = sequence.at(-1)?.file;
          if (!last) return;
          expect(await load(last, batchRows)).toMatchObject({ added: 0, changed: 0 });
          await expectDataset(model);
        }),
        { numRuns: runs(10) },
      );
    },
    240_000,
  );

  async function load(
    { kind, today, rows }: { kind: FileKind; today: string; rows: FileRow[] },
    batchRows: number | undefined,
  ): Promise<Record<string, number>> {
    const now = new Date(today + NOON);
    const text = kind === 'list' ? dropListOf(rows, today) : csvOf(rows);
    const report = await importText(test.database, text, {
      now,
      batchRows,
      announcesOldDrops: true,
      listKind: 'deleted',
      vouch: kind === 'vouched' ? { by: 'test', at: now } : undefined,
    });
    return countsOf(report);
  }

  async function expectDataset(model: Model): Promise<void> {
    const rows = await test.database.query<Record<string, unknown>>(
      `SELECT domain, state, wayback, to_char(first_seen, 'YYYY-MM-DD') AS "firstSeen", hidden, announced,
              ${textOf('checked_at')} AS "checkedAt", ${textOf('purge_at')} AS "purgeAt", registry_state AS "registryState",
              ${textOf('free_seen_at')} AS "freeSeenAt"
         FROM domain ORDER BY domain`,
    );
    expect(rows).toEqual(
      [...model.names]
        .map(([name, known]) => ({ domain: name, ...known }))
        .sort((one, other) => (one.domain < other.domain ? -1 : 1)),
    );
    const [dataset] = await test.database.query<{ available: number; last: number }>(
      'SELECT available_records::int AS available, last_event::int AS last FROM dataset',
    );
    expect(dataset?.available).toBe(
      rows.filter(({ state, hidden }) => state === 'available' && !hidden).length,
    );
    // Numbers without a gap; the events of one import come in any order, imports in theirs.
    const events = await test.database.query<{ number: number; event: string }>(
      `SELECT number::int, type || ' ' || domain AS event FROM domain_event ORDER BY number`,
    );
    expect(events.map(({ number }) => number)).toEqual(events.map((_, at) => at + 1));
    expect(dataset?.last).toBe(events.length);
    const said = events.map(({ event }) => event);
    const grouped = model.events.map((group) => said.splice(0, group.length).sort());
    expect(grouped).toEqual(model.events);
    expect(said).toEqual([]);
    // What is on offer and scheduled is on offer.
    expect(
      await test.database.query(
        `SELECT recheck.domain FROM recheck LEFT JOIN domain USING (domain)
          WHERE domain.state IS DISTINCT FROM 'available' OR recheck.checked_at IS DISTINCT FROM domain.checked_at`,
      ),
    ).toEqual([]);
  }

  async function empty(): Promise<void> {
    await test.database.query('TRUNCATE domain, domain_event, registry_answer, recheck');
    await test.database.query(
      'UPDATE dataset SET available_records = 0, last_event = 0, last_event_at = NULL, refreshed = NULL',
    );
    await lifecycleOn(test.database).resumeWrites('test', new Date());
  }
});

function textOf(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}

function csvOf(rows: FileRow[]): string {
  const lines = rows.map(
    ({ domain, wayback, day, hidden }) => `${domain},${wayback ?? ''},${day ?? ''},${hidden ?? ''}\n`,
  );
  return `domain,wayback,first_seen,hidden\n${lines.join('')}`;
}

function dropListOf(rows: FileRow[], today: string): string {
  const lines = rows.map(({ domain, day }) => `${day ?? today},01:00:00,${domain}\n`);
  return `Date,Eligible Purge Time,Domain Name\n${lines.join('')}`;
}
