import fc from 'fast-check';
import { DomainRepository } from '../../src/domains/domain.repository.js';
import { RegistryRepository } from '../../src/registry/registry.repository.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { countsOf, importText, readDataset } from '../support/import.js';

// Few, so that the same name and day come together in many ways.
const NAMES = ['reef.au', 'surf.com.au', 'x-9.org.au'];
const DAYS = ['2026-10-01', '2026-10-02', '2026-10-03'];

interface FileRow {
  domain: string;
  wayback: number | null;
  firstSeen: string | null;
  hidden: boolean | null;
}

interface Answer {
  domain: string;
  available: boolean;
  day: string;
}

/** What the import is meant to do, as plainly as it can be said. */
class Model {
  readonly names = new Map<
    string,
    { wayback: number; firstSeen: string | null; available: boolean; hidden: boolean; checked: string | null }
  >();
  readonly events: string[][] = [];
  /** What the registry said last, also of names that the dataset does not have. */
  private readonly answers = new Map<string, Answer>();

  importFile(rows: FileRow[]): Record<string, number> {
    const last = new Map(rows.map((row) => [row.domain, row]));
    const counts = { added: 0, changed: 0, unchanged: 0, rejected: 0, repeated: rows.length - last.size };
    const events: string[] = [];
    for (const row of last.values()) {
      const stored = this.names.get(row.domain);
      if (!stored) {
        counts.added++;
        const { wayback, firstSeen, hidden } = row;
        const taken = this.takenBefore(row);
        const name = {
          wayback: wayback ?? 0,
          firstSeen,
          available: !taken,
          hidden: hidden ?? false,
          checked: taken?.day ?? null,
        };
        this.names.set(row.domain, name);
        if (!name.hidden && !taken) events.push(`domain.dropped ${row.domain}`);
        continue;
      }
      const before = { ...stored };
      const dropped = this.isDrop(stored, row.firstSeen);
      if (dropped) stored.available = true;
      if (dropped || stored.firstSeen === null) stored.firstSeen = row.firstSeen ?? stored.firstSeen;
      stored.wayback = row.wayback ?? stored.wayback;
      stored.hidden = row.hidden ?? stored.hidden;
      if (JSON.stringify(before) === JSON.stringify(stored)) counts.unchanged++;
      else counts.changed++;
      const uncovered = before.hidden && stored.available;
      if (!stored.hidden && (dropped || uncovered)) events.push(`domain.dropped ${row.domain}`);
      else if (before.hidden && !stored.hidden) events.push(`domain.taken ${row.domain}`);
    }
    this.events.push(events.sort());
    return counts;
  }

  private takenBefore({ domain, firstSeen }: FileRow): Answer | null {
    const answer = this.answers.get(domain);
    const isNewer = answer !== undefined && (firstSeen === null || firstSeen < answer.day);
    return isNewer && !answer.available ? answer : null;
  }

  private isDrop(
    stored: { firstSeen: string | null; available: boolean; checked: string | null },
    firstSeen: string | null,
  ): boolean {
    if (firstSeen === null) return false;
    if (stored.available) return stored.firstSeen !== null && firstSeen > stored.firstSeen;
    const isNews = stored.firstSeen === null || firstSeen > stored.firstSeen;
    return isNews && (stored.checked === null || firstSeen >= stored.checked);
  }

  record(answer: Answer): void {
    const { domain, available, day } = answer;
    if ((this.answers.get(domain)?.day ?? '') <= day) this.answers.set(domain, answer);
    const stored = this.names.get(domain);
    if (!stored || (stored.checked !== null && stored.checked > day)) return;
    if (stored.available !== available && !stored.hidden)
      this.events.push([`${available ? 'domain.dropped' : 'domain.taken'} ${domain}`]);
    stored.available = available;
    stored.checked = day;
  }
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
    firstSeen: fc.constantFrom(null, ...DAYS, ...DAYS),
    hidden: fc.constantFrom(null, null, true, false),
  });
  const file = fc.record({ rows: fc.array(row, { minLength: 1, maxLength: 5 }) });
  const answer = fc.record({
    answer: fc.record({
      domain,
      available: fc.constantFrom(false, false, true),
      day: fc.constantFrom(...DAYS),
    }),
  });
  const steps = fc.array(fc.oneof({ weight: 3, arbitrary: file }, { weight: 2, arbitrary: answer }), {
    minLength: 1,
    maxLength: 8,
  });

  it.each([
    ['changed in place', undefined],
    ['built anew', 1],
  ])(
    'leaves what a plain model says, %s',
    async (_, rebuildMinChanges) => {
      const load = (rows: FileRow[]) => importText(test.database, csvOf(rows), { rebuildMinChanges });
      await fc.assert(
        fc.asyncProperty(steps, async (sequence) => {
          await empty();
          const model = new Model();
          for (const step of sequence) {
            if ('rows' in step) {
              const report = await load(step.rows);
              expect(countsOf(report)).toEqual(model.importFile(step.rows));
            } else {
              model.record(step.answer);
              await record(step.answer);
            }
          }
          await expectDataset(model);
          // Whatever the last file was, it says nothing new a second time.
          const last = sequence.findLast((step) => 'rows' in step);
          if (last && 'rows' in last && sequence.at(-1) === last) {
            const again = await load(last.rows);
            expect(countsOf(again)).toMatchObject({ added: 0, changed: 0 });
            await expectDataset(model);
          }
        }),
        { numRuns: 60 },
      );
    },
    120_000,
  );

  async function record({ domain, available, day }: Answer): Promise<void> {
    const checkedAt = new Date(`${day}T09:00:00Z`);
    const state = available ? 'available' : 'registered';
    await new DomainRepository(test.database).recordAvailability(domain, available, checkedAt);
    const answer = { state, source: 'rdap', checkedAt, cached: false } as const;
    await new RegistryRepository(test.database).saveAnswer(domain, answer, 3_600);
  }

  async function expectDataset(model: Model): Promise<void> {
    const { rows, events, availableRecords, lastEvent } = await readDataset(test.database);
    expect(rows).toEqual(
      [...model.names]
        .map(([name, { wayback, firstSeen, available, hidden }]) => ({
          domain: name,
          wayback,
          first_seen: firstSeen,
          available,
          hidden,
        }))
        .sort((one, other) => (one.domain < other.domain ? -1 : 1)),
    );
    expect(availableRecords).toBe(rows.filter((stored) => stored.available && !stored.hidden).length);
    // Numbers without a gap; the events of one import come in any order, imports in theirs.
    expect(events.map((event) => Number(event.split(' ')[0]))).toEqual(events.map((_, at) => at + 1));
    expect(lastEvent).toBe(events.length);
    const said = events.map((event) => event.slice(event.indexOf(' ') + 1));
    const grouped = model.events.map((group) => said.splice(0, group.length).sort());
    expect(grouped).toEqual(model.events);
    expect(said).toEqual([]);
  }

  async function empty(): Promise<void> {
    await test.database.query('TRUNCATE domain, domain_event, registry_answer');
    await test.database.query('UPDATE dataset SET available_records = 0, last_event = 0, refreshed = NULL');
  }
});

function csvOf(rows: FileRow[]): string {
  const lines = rows.map(
    ({ domain, wayback, firstSeen, hidden }) =>
      `${domain},${wayback ?? ''},${firstSeen ?? ''},${hidden ?? ''}\n`,
  );
  return `domain,wayback,first_seen,hidden\n${lines.join('')}`;
}
