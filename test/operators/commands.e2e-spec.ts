import { Command } from 'commander';
import { type CommandEntry, type LocalCommand, type ServiceCommand } from '../../src/ops/command.js';
import { addCommands } from '../../src/ops/command-line.js';
import { COMMANDS } from '../../src/ops/commands.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { startAccountsApp, type AccountsApp } from '../support/visitor.js';

const ENTRIES = Object.entries<CommandEntry>(COMMANDS);
const isLocal = (entry: CommandEntry): entry is LocalCommand => 'runHere' in entry;
const served = ENTRIES.flatMap(([name, entry]) => (isLocal(entry) ? [] : [[name, entry] as const]));
/** The words of every command that the program has, without groups. */
const wordsOf = (command: Command, before = ''): string[] =>
  command.commands.flatMap((one) => {
    const words = `${before}${one.name()}`;
    const own = ENTRIES.some(([, entry]) => entry.words === words) ? [words] : [];
    return [...own, ...wordsOf(one, `${words} `)];
  });

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean }[];
  requestBody?: { content: Record<string, { schema: { properties?: object; required?: string[] } }> };
}

let test: AccountsApp;
let operations: Map<string, Operation>;
const key = mintOperatorKey();
beforeAll(async () => {
  test = await startAccountsApp({ OPERATOR_KEY_HASH: `alice:${key.hash}` });
  const { body } = await test.caller().get('/ops/openapi.json').expect(200);
  const { paths } = body as { paths: Record<string, Record<string, Operation>> };
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  );
  operations = new Map(found);
});
afterAll(() => test.close());

it('a command that one door lacks says why', () => {
  const without = ENTRIES.filter(([, entry]) => (isLocal(entry) || entry.words === null) && !entry.only);
  expect(without).toEqual([]);
});

it('the command line has every command, and no other', () => {
  const program = new Command();
  addCommands(program, () => Promise.resolve());
  const words = ENTRIES.flatMap(([, entry]) => entry.words ?? []);
  expect(wordsOf(program).sort()).toEqual(words.sort());
});

it('/ops/v1 has every command, with its arguments, and no other', () => {
  expect([...operations.values()].map(({ operationId }) => operationId).sort()).toEqual(
    served.map(([name]) => name).sort(),
  );
  for (const [name, entry] of served) {
    const [method, path = ''] = entry.route.split(' ');
    const operation = operations.get(`${method} /ops/v1/${path.replace(/:(\w+)/g, '{$1}')}`);
    const body = operation?.requestBody?.content['application/json']?.schema;
    const given = [
      // Headers are of the request, not of the command.
      ...(operation?.parameters ?? []).filter((one) => one.in !== 'header').map((one) => one.name),
      ...Object.keys(body?.properties ?? {}),
    ];
    const wanted = [...Object.keys(entry.arguments ?? {}), ...(entry.action === undefined ? [] : ['reason'])];
    expect([name, given.sort()]).toEqual([name, wanted.sort()]);
  }
});

it.each(served.filter(([, { route, arguments: own }]) => isOpen(route, own)))(
  '%s answers',
  async (_, entry) => {
    const path = `/ops/v1/${entry.route.slice(4)}`;
    await test.caller().get(path).auth(key.text, { type: 'bearer' }).expect(200);
  },
);

/** Whether a command shows something and can do without arguments. */
function isOpen(route: string, own: ServiceCommand['arguments'] = {}): boolean {
  return route.startsWith('GET') && Object.values(own).every(({ isRequired }) => !isRequired);
}

it.each([
  ['an unknown parameter', '/ops/v1/audit?color=red', 'color is not a parameter here'],
  ['a parameter twice', '/ops/v1/audit?actor=a&actor=b', 'actor must be given once'],
  ['a number out of bounds', '/ops/v1/keys?limit=1001', 'limit must be an integer from 1 to 1000'],
  ['no number', '/ops/v1/keys?limit=1e1', 'limit must be an integer from 1 to 1000'],
  ['an inherited name', '/ops/v1/audit?__proto__=1', '__proto__ is not a parameter here'],
  ['no id', '/ops/v1/accounts/1', 'id must be the id of an account'],
])('%s is refused', async (_, path, message) => {
  const { body } = await test.caller().get(path).auth(key.text, { type: 'bearer' }).expect(400);
  expect(body).toMatchObject({
    error: { code: 'invalid_parameter', message: expect.stringContaining(message) },
  });
});

it('a body that is a list, or has deep values, is refused', async () => {
  const post = (body: object) =>
    test.caller().post('/ops/v1/jobs/stale/run').auth(key.text, { type: 'bearer' }).send(body).expect(400);
  expect((await post([])).body).toMatchObject({ error: { message: expect.stringContaining('one object') } });
  expect((await post({ reason: { a: [[[[['x']]]]] } })).body).toMatchObject({
    error: { message: expect.stringContaining('reason must be 1 to 500 characters') },
  });
});

it('the circuit is shown, and is not reset where nothing was stopped', async () => {
  const alice = test.caller().set('Authorization', `Bearer ${key.text}`);
  expect((await alice.get('/ops/v1/circuit').expect(200)).body).toMatchObject({
    stopped_at: null,
    lifted: [],
  });
  const { body } = await alice.post('/ops/v1/circuit/reset').send({ reason: 'a look' }).expect(200);
  expect(body).toEqual({ ok: true, changed: false, lifted: null });
});
