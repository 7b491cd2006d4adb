import { randomUUID } from 'node:crypto';
import {
  type EppFault,
  type SandboxRegistrar,
  startSandboxRegistrar,
} from '../../src/demo/sandbox-registrar.js';
import { type EppAccount, EppClient } from '../../src/orders/registrar/epp/epp-client.js';
import { EppRegistrar } from '../../src/orders/registrar/epp/epp-registrar.js';
import { SessionSlots } from '../../src/orders/registrar/epp/session-slot.repository.js';
import { ExchangeEvidenceRepository } from '../../src/orders/registrar/exchange-evidence.repository.js';
import type { Attempt, RegistrarMessage, Renewal } from '../../src/orders/registrar/port.js';
import { fenced } from '../../src/db/scope.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { attemptOn, REGISTRANT_OF_ATTEMPTS } from '../support/registrar-harness.js';

let test: TestDatabase;
let evidence: ExchangeEvidenceRepository;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  test = await createTestDatabase();
  evidence = new ExchangeEvidenceRepository(test.database);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => test.close());

async function start(options: { au?: '1.2' | '1.3'; sessions?: number } = {}): Promise<SandboxRegistrar> {
  const sandbox = await startSandboxRegistrar({ port: 0, ...options });
  closing.push(() => sandbox.close());
  return sandbox;
}

function connect(sandbox: SandboxRegistrar, changes: Partial<EppAccount> = {}, elapsed?: () => number) {
  const account = { ...sandbox, registrar: 'sandbox', sessions: 2, timeoutMs: 60_000, ...changes };
  const client = new EppClient(account, new SessionSlots(test.database), evidence, elapsed);
  closing.push(() => client.close());
  const terms = { name: 'sandbox', client: sandbox.client, cancelWindowHours: 24 };
  const registrar = new EppRegistrar(
    { ...terms, yearCents: { 'com.au': { registration: 1650, renewal: 1650 } } },
    client,
  );
  return { account, client, registrar };
}

const registrarAt = (sandbox: SandboxRegistrar, changes: Partial<EppAccount> = {}) =>
  connect(sandbox, changes).registrar;

async function renewalOf(registrar: EppRegistrar, attempt: Attempt): Promise<Renewal> {
  const found = await registrar.find(attempt);
  if (found.is !== 'done' || typeof found.value === 'string' || !found.value.expiresAt)
    throw new Error(`${attempt.name} is not registered`);
  return { id: `BB-${randomUUID()}`, name: attempt.name, years: 2, expiresAt: found.value.expiresAt };
}

describe('a registrar with EPP', () => {
  it.each(['1.2', '1.3'] as const)(
    'registers with extension %s: the customer is the registrant',
    async (au) => {
      const sandbox = await start({ au });
      const registrar = registrarAt(sandbox);
      const attempt = attemptOn('fresh.com.au');
      expect(await registrar.check(attempt.name)).toEqual({
        is: 'done',
        value: { available: true, reason: null },
      });
      expect(await registrar.find(attempt)).toEqual({ is: 'done', value: 'none' });
      expect(await registrar.quote(attempt.name, 2, 'registration')).toEqual({
        is: 'done',
        value: { cents: 3300, gstCents: 300 },
      });
      const registered = await registrar.register(attempt);
      expect(registered).toEqual({ is: 'done', value: expect.objectContaining({ name: attempt.name }) });
      expect(sandbox.names.get(attempt.name)).toMatchObject({
        ...{
          client: sandbox.client,
          password: attempt.password,
          registrantName: REGISTRANT_OF_ATTEMPTS.legalName,
        },
      });
      expect(await registrar.find(attempt)).toMatchObject({
        is: 'done',
        value: { name: attempt.name, id: 'D1-SB' },
      });
      expect(await registrar.check(attempt.name)).toMatchObject({ is: 'done', value: { available: false } });
      const renewal = await renewalOf(registrar, attempt);
      const renewed = await registrar.renew(renewal);
      const { expiresAt } = await renewalOf(registrar, attempt);
      expect(expiresAt.getUTCFullYear()).toBe(renewal.expiresAt.getUTCFullYear() + 2);
      expect(renewed).toMatchObject({ is: 'done', value: { expiresAt } });
      // Sent again after a lost reply.
      expect(await registrar.renew(renewal)).toMatchObject({ is: 'done', value: { expiresAt } });
      expect(await registrar.cancel(attempt)).toEqual({ is: 'done', value: null });
      expect(await registrar.cancel(attempt)).toEqual({ is: 'done', value: null });
      expect(sandbox.names.size).toBe(0);
    },
  );

  // fault, what register answers, whether it was executed
  it.each<[EppFault, object, boolean]>([
    ['cut_during', { is: 'unknown' }, true],
    ['split', { is: 'done' }, true],
    ['merged', { is: 'done' }, true],
    [2400, { is: 'unknown', why: 'result 2400' }, false],
    [2500, { is: 'unknown', why: 'result 2500' }, false],
  ])('%s: asks, and sends the same attempt once more at most', async (fault, outcome, isExecuted) => {
    const sandbox = await start();
    const registrar = registrarAt(sandbox);
    const attempt = attemptOn('faulty.com.au');
    sandbox.fail('create', fault);
    expect(await registrar.register(attempt)).toMatchObject(outcome);
    expect(sandbox.created).toHaveLength(isExecuted ? 1 : 0);
    const found = await registrar.find(attempt);
    if (isExecuted) expect(found).toMatchObject({ is: 'done', value: { name: attempt.name } });
    else expect(found).toEqual({ is: 'done', value: 'none' });
    // The contact of the first sending is ours, and so is the name.
    expect(await registrar.register(attempt)).toMatchObject({ is: 'done' });
    expect(sandbox.created).toEqual([attempt.name]);
  });

  it('1001 is settled by a message, which is acknowledged once it was taken', async () => {
    const sandbox = await start();
    const registrar = registrarAt(sandbox);
    const [good, bad] = [attemptOn('good.com.au'), attemptOn('bad.com.au')];
    sandbox.fail('create', 'pending', 2);
    for (const attempt of [good, bad])
      expect(await registrar.register(attempt)).toMatchObject({ is: 'pending' });
    sandbox.decide(good.name, 'done');
    sandbox.decide(bad.name, 'refused');
    await expect(registrar.poll(() => Promise.reject(new Error('not committed')))).rejects.toThrow(
      'not committed',
    );
    const messages: RegistrarMessage[] = [];
    const take = (message: RegistrarMessage) => Promise.resolve(void messages.push(message));
    expect(await registrar.poll(take)).toEqual({ is: 'done', value: 2 });
    expect(messages).toMatchObject([
      { name: good.name, clTRID: good.clTRID, outcome: 'done' },
      { name: bad.name, clTRID: bad.clTRID, outcome: 'refused' },
    ]);
    expect(await registrar.poll(take)).toEqual({ is: 'done', value: 0 });
    expect(await registrar.find(good)).toMatchObject({ is: 'done', value: { name: good.name } });
    expect(await registrar.find(bad)).toEqual({ is: 'done', value: 'none' });
  });

  it('a message that was acknowledged twice takes no other with it', async () => {
    const sandbox = await start();
    const [one, two] = [registrarAt(sandbox), registrarAt(sandbox)];
    const [first, second] = [attemptOn('first.com.au'), attemptOn('second.com.au')];
    sandbox.fail('create', 'pending', 2);
    for (const attempt of [first, second]) {
      await one.register(attempt);
      sandbox.decide(attempt.name, 'refused');
    }
    const taken: (string | null)[] = [];
    await one.poll(async ({ name }) => {
      taken.push(name);
      if (taken.length > 1) return;
      const beside = two.poll((message) =>
        message.name === first.name ? Promise.resolve() : Promise.reject(new Error('killed')),
      );
      await expect(beside).rejects.toThrow('killed');
    });
    expect(taken).toEqual([first.name, second.name]);
  });

  it('a name of ours that shows neither its password nor its registrant is not known to be of another', async () => {
    const sandbox = await start();
    const registrar = registrarAt(sandbox);
    const [attempt, other] = [attemptOn('hidden.com.au'), attemptOn('hidden.com.au')];
    await registrar.register(attempt);
    const names = sandbox.names as Map<string, object>;
    const shown = names.get(attempt.name) ?? {};
    const show = (fields: object) => void names.set(attempt.name, { ...shown, ...fields });
    show({ password: '', registrant: '' });
    expect(await registrar.find(attempt)).toMatchObject({ is: 'unknown' });
    show({ password: '' });
    expect(await registrar.find(attempt)).toMatchObject({ is: 'done', value: { name: attempt.name } });
    expect(await registrar.find(other)).toEqual({ is: 'done', value: 'foreign' });
    show({ password: '', registrant: '', client: 'OTHER' });
    expect(await registrar.find(attempt)).toEqual({ is: 'done', value: 'foreign' });
  });

  it('a name of ours with a contact and a password of no order is of another if it is older alone', async () => {
    const sandbox = await start();
    const registrar = registrarAt(sandbox);
    const attempt = attemptOn('moved.com.au');
    await registrar.register(attempt);
    const names = sandbox.names as Map<string, object>;
    const shown = names.get(attempt.name) ?? {};
    names.set(attempt.name, { ...shown, password: 'changed-there-1', registrant: 'BY-HAND' });
    expect(await registrar.find(attempt)).toEqual({ is: 'done', value: 'unproven' });
    expect(await registrar.cancel(attempt)).toMatchObject({ is: 'refused', reason: 'policy' });
    expect(await registrar.register({ ...attempt, id: randomUUID() })).toMatchObject({ is: 'unknown' });
    expect(sandbox.names.has(attempt.name)).toBe(true);
    const later = { ...attempt, startedAt: new Date(Date.now() + 3 * 86_400_000) };
    expect(await registrar.find(later)).toEqual({ is: 'done', value: 'foreign' });
    // The contact of another order proves whose it is.
    names.set(attempt.name, {
      ...shown,
      password: 'changed-there-1',
      registrant: attemptOn('a.com.au').contactId,
    });
    expect(await registrar.find(attempt)).toEqual({ is: 'done', value: 'foreign' });
  });

  it('has no more sessions than the cap, over all instances; the registry has its own', async () => {
    const sandbox = await start({ sessions: 1 });
    const [one, two, beyond] = [
      connect(sandbox, { sessions: 1 }),
      registrarAt(sandbox, { sessions: 1, timeoutMs: 1 }),
      registrarAt(sandbox, { sessions: 5 }),
    ];
    await one.client.within(async () => {
      expect(await two.check('b.com.au')).toMatchObject({ is: 'refused', reason: 'busy', code: 'slots' });
      expect(await beyond.check('b.com.au')).toMatchObject({ is: 'refused', reason: 'busy', code: '2502' });
      expect(sandbox.openSessions()).toBe(1);
      return { is: 'done', value: true };
    });
  });

  it('sends no attempt that waited for more than 30 s: another instance may have settled it', async () => {
    const sandbox = await start();
    let now = 0;
    const { client, registrar } = connect(sandbox, {}, () => now);
    const [late, inTime] = [attemptOn('late.com.au'), attemptOn('in-time.com.au')];
    const outcomes = await client.within(async () => {
      const queued = [registrar.register(late)];
      now = 1;
      queued.push(registrar.register(inTime));
      now = 30_001;
      return { is: 'done', value: queued };
    });
    if (outcomes.is !== 'done') throw new Error('it was done');
    expect(await Promise.all(outcomes.value)).toMatchObject([
      { is: 'refused', reason: 'away', code: 'queue' },
      { is: 'done' },
    ]);
    expect(sandbox.created).toEqual([inTime.name]);
    expect(sandbox.received.join()).not.toContain(late.name);
  });

  it('asks for the end of a renewal, and sends none by asking', async () => {
    const sandbox = await start();
    const registrar = registrarAt(sandbox);
    const attempt = attemptOn('renewed.com.au');
    await registrar.register(attempt);
    const renewal = await renewalOf(registrar, attempt);
    const sent = () => sandbox.received.filter((frame) => frame.includes('<renew>')).length;
    sandbox.fail('renew', 'cut_before');
    expect(await registrar.renew(renewal)).toMatchObject({ is: 'unknown' });
    for (let asked = 0; asked < 3; asked += 1)
      expect(await registrar.findRenewal(renewal)).toEqual({ is: 'done', value: 'none' });
    expect(sent()).toBe(1);
    sandbox.fail('renew', 'cut_after');
    expect(await registrar.renew(renewal)).toMatchObject({ is: 'unknown' });
    const { expiresAt } = await renewalOf(registrar, attempt);
    expect(await registrar.findRenewal(renewal)).toMatchObject({ is: 'done', value: { expiresAt } });
    expect([sent(), expiresAt.getUTCFullYear()]).toEqual([2, renewal.expiresAt.getUTCFullYear() + 2]);
    // Whose it is now, or that nobody has it, says nothing of what was charged.
    sandbox.registerForeign(attempt.name);
    expect(await registrar.findRenewal(renewal)).toMatchObject({ is: 'unknown' });
    (sandbox.names as Map<string, unknown>).delete(attempt.name);
    expect(await registrar.findRenewal(renewal)).toMatchObject({ is: 'unknown' });
    sandbox.fail('info', 2400);
    expect(await registrar.findRenewal(renewal)).toMatchObject({ is: 'unknown' });
  });

  it('a wrong password, a wrong authority and a registry that is away change nothing', async () => {
    const sandbox = await start();
    const other = await start();
    const attempt = attemptOn('never.com.au');
    const refusals = [
      [registrarAt(sandbox, { password: 'wrong-password' }), 'credentials'],
      [registrarAt(sandbox, { ca: other.ca }), 'away'],
    ] as const;
    for (const [registrar, reason] of refusals)
      expect(await registrar.register(attempt)).toMatchObject({ is: 'refused', reason });
    const gone = registrarAt(other);
    await other.close();
    expect(await gone.register(attempt)).toMatchObject({ is: 'refused', reason: 'away' });
    expect(sandbox.received.join()).not.toContain(attempt.name);
  });

  it('is in evidence as soon as an exchange has ended, the logout too', async () => {
    const sandbox = await start();
    const { client, registrar } = connect(sandbox);
    const attempt = attemptOn('recorded.com.au');
    sandbox.fail('create', 'late');
    const registering = registrar.register(attempt);
    while ((await evidence.list(attempt.clTRID)).length === 0);
    while (!sandbox.received.at(-1)?.includes('domain:create')) await evidence.list(attempt.clTRID);
    expect(await evidence.list(attempt.clTRID)).toMatchObject([{ command: 'contact', result: '1000' }]);
    sandbox.sendLate();
    await registering;
    await client.close();
    const [last] = await test.database.query(
      'SELECT command, result FROM registrar_exchange ORDER BY id DESC LIMIT 1',
    );
    expect(last).toEqual({ command: 'logout', result: '1500' });
  });

  it('is in evidence after the lease of the run was lost as well', async () => {
    const registrar = registrarAt(await start());
    const attempt = attemptOn('lease-lost.com.au');
    await fenced({ sql: 'SELECT WHERE false', parameters: [] }, () => registrar.find(attempt));
    expect(await evidence.list(attempt.clTRID)).toMatchObject([{ command: 'info', result: '2303' }]);
  });
});
