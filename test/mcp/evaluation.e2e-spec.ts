import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { toMarkdown } from '../../src/validation/formats.js';
import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { holdMinute } from '../support/clock.js';
import { addDomains, settle } from '../support/domains.js';
import { importVouched } from '../support/import.js';
import { connectAgent } from '../support/mcp.js';
import { type Asker, MAX_CALLS, play, type Task } from './evaluation/task.js';
import { AHEAD, NAMES, TASKS } from './evaluation/tasks.js';

/** Two reports with all their fields: each says who may hold the label under each suffix, in 4,700 bytes. */
const MAX_BYTES = 16_000;
// Written by UPDATE_EVALUATION=1 npm test -- test/mcp/evaluation.
const RESULTS = resolve(__dirname, '../bench/results/agents.md');

let test: TestApp;
const played: { task: Task; calls: number; bytes: number }[] = [];
let listed = 0;
beforeAll(async () => {
  test = await startTestApp(WITH_KEYS);
  holdMinute(test);
  // Before the others, which came without an event: what drops is told, and taken again.
  await importVouched(test.database, 'domain\nfresh-one.com.au\nfresh-two.com.au\n', { now: new Date() });
  await settle(test.database, 'fresh-one.com.au', false);
  await settle(test.database, 'fresh-two.com.au', false);
  await test.database.query(
    `DELETE FROM domain_event WHERE domain = 'fresh-two.com.au' AND type = 'domain.taken'`,
  );
  await addDomains(
    test.database,
    NAMES.map(([domain, wayback, first_seen]) => ({
      ...{ domain, wayback, first_seen, available: true, hidden: false },
    })),
  );
  for (const [domain, wayback, purgeAt, kind] of AHEAD)
    await test.database.query(
      `INSERT INTO domain (domain, name, tld, wayback, state, list_kind, listed_at, purge_at)
       VALUES ($1, split_part($1, '.', 1), substr($1, strpos($1, '.') + 1), $2, 'listed', $4, now(), $3)`,
      [domain, wayback, purgeAt, kind],
    );
});
afterAll(() => test.close());

async function agentOf(asker: Asker): ReturnType<typeof connectAgent> {
  if (asker === 'demo') return connectAgent(test.url, 'client 2.x, 2026-07-28');
  const { bearer } = await addKey(test.database, { tier: asker });
  return connectAgent(test.url, 'client 2.x, 2026-07-28', { Authorization: bearer });
}

describe('an agent that knows the descriptions of the tools and nothing else', () => {
  it('has thirty tasks of five kinds', () => {
    expect(TASKS).toHaveLength(30);
    expect(new Set(TASKS.map(({ kind }) => kind)).size).toBe(5);
    expect(new Set(TASKS.map(({ ask }) => ask)).size).toBe(30);
  });

  it.each(TASKS.map((task) => ({ ...task, task })))('$kind: $ask', async ({ task }) => {
    const agent = await agentOf(task.as);
    const { tools } = await agent.client.listTools();
    listed = Math.max(listed, Buffer.byteLength(JSON.stringify(tools)));
    const { answer, calls, bytes } = await play(task, tools, (tool, given) => agent.call(tool, given));
    await agent.close();
    expect(answer).toEqual(task.expected);
    expect(calls).toBeLessThanOrEqual(MAX_CALLS);
    played.push({ task, calls, bytes });
  });

  it('spends no more bytes than the bound of a task', () => {
    expect(played.filter(({ bytes }) => bytes > MAX_BYTES).map(({ task }) => task.ask)).toEqual([]);
    if (process.env.UPDATE_EVALUATION) writeFileSync(RESULTS, resultsTable());
  });
});

function resultsTable(): string {
  const lines = played.map(({ task, calls, bytes }) => [
    task.kind,
    task.ask,
    task.as,
    String(calls),
    String(bytes),
  ]);
  const sum = played.reduce((total, { bytes }) => total + bytes, 0);
  const table = toMarkdown([['Kind', 'Task', 'As', 'Calls', 'Bytes'], ...lines]);
  return `# What tasks cost an agent\n\n\`UPDATE_EVALUATION=1 npm test -- test/mcp/evaluation\`: arguments and answers as text, without the list of tools, which has ${listed} bytes for a caller with a key.\n${played.length} tasks, ${sum} bytes in all.\n\n${table}\n`;
}
