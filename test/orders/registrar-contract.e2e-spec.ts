import { randomUUID } from 'node:crypto';
import type { ResellerFault } from '../../src/demo/sandbox-reseller.js';
import { ExchangeEvidenceRepository } from '../../src/orders/registrar/exchange-evidence.repository.js';
import { ResellerClient } from '../../src/orders/registrar/dreamscape/reseller-client.js';
import type { Attempt, Renewal } from '../../src/orders/registrar/port.js';
import { until } from '../support/processes.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import {
  attemptOn,
  REGISTRANT_OF_ATTEMPTS,
  type RegistrarHarness,
  type SharedFault,
  startEpp,
  startReseller,
  TAKEN,
} from '../support/registrar-harness.js';

let test: TestDatabase;
let evidence: ExchangeEvidenceRepository;
beforeAll(async () => {
  test = await createTestDatabase();
  evidence = new ExchangeEvidenceRepository(test.database);
});
afterAll(() => test.close());

const LONG_AGO = () => new Date(Date.now() - 20 * 60_000);

describe.each([
  ['EPP', startEpp],
  ["Dreamscape's reseller API", startReseller],
])('any registrar: %s', (_, start) => {
  let harness: RegistrarHarness;
  beforeEach(async () => {
    harness = await start(test, evidence);
  });
  afterEach(() => harness.close());

  async function renewalOf(attempt: Attempt): Promise<Renewal> {
    const { expiresAt } = harness.holder(attempt.name) ?? {};
    if (!expiresAt) throw new Error(`${attempt.name} is not registered`);
    return { id: `BB-${randomUUID()}`, name: attempt.name, years: 1, expiresAt };
  }

  it('quotes, checks, registers, renews and cancels; the customer is the registrant', async () => {
    const { registrar } = harness;
    const attempt = attemptOn('fresh.com.au');
    const free = await registrar.check(attempt.name);
    expect(free).toMatchObject({ is: 'done', value: { available: true } });
    expect(await registrar.find(attempt)).toEqual({ is: 'done', value: 'none' });
    expect(await registrar.quote(attempt.name, 1, 'registration')).toEqual({
      is: 'done',
      value: { cents: 1650, gstCents: 150 },
    });
    expect(await registrar.quote('other.net.au', 1, 'renewal')).toMatchObject({ reason: 'unsupported' });
    const registered = await registrar.register(attempt);
    expect(registered).toMatchObject({ is: 'done', value: { name: attempt.name } });
    expect(harness.holder(attempt.name)?.legalName).toBe(REGISTRANT_OF_ATTEMPTS.legalName);
    expect(await registrar.find(attempt)).toMatchObject({
      is: 'done',
      value: { name: attempt.name, isOfAnother: false },
    });
    expect(await registrar.check(attempt.name)).toMatchObject({ value: { available: false } });
    const renewal = await renewalOf(attempt);
    expect(await registrar.renew(renewal)).toMatchObject({ is: 'done' });
    // Sent again after a lost reply.
    expect(await registrar.renew(renewal)).toMatchObject({ is: 'done' });
    expect(await registrar.findRenewal(renewal)).toMatchObject({ is: 'done', value: { name: attempt.name } });
    const { expiresAt } = harness.holder(attempt.name) ?? {};
    expect(expiresAt?.getUTCFullYear()).toBe(renewal.expiresAt.getUTCFullYear() + 1);
    expect(await registrar.cancel(attempt)).toEqual({ is: 'done', value: null });
    expect(await registrar.cancel(attempt)).toEqual({ is: 'done', value: null });
    expect(await registrar.check(attempt.name)).toMatchObject({ value: { available: true } });
    // Whoever has registered it since keeps it.
    const next = attemptOn(attempt.name);
    expect(await registrar.register(next)).toMatchObject({ is: 'done' });
    expect(await registrar.cancel(attempt)).toMatchObject({ is: 'refused' });
    expect(await registrar.check(attempt.name)).toMatchObject({ value: { available: false } });
  });

  it('sets name servers of its own name alone, or says that it has no such command', async () => {
    const { registrar } = harness;
    const [attempt, hosts] = [attemptOn('delegated.com.au'), ['ns1.example.net', 'ns2.example.net']];
    await registrar.register(attempt);
    const isAble = registrar.capabilities().setsNameServers;
    const answer = isAble ? { is: 'done' } : { is: 'refused', reason: 'unsupported' };
    expect(await registrar.delegate(attempt, hosts)).toMatchObject(answer);
    const reason = isAble ? 'taken' : 'unsupported';
    expect(await registrar.delegate(attemptOn(attempt.name), hosts)).toMatchObject({ is: 'refused', reason });
  });

  it('a name whose deletion is under way is cancelled, also asked for again', async () => {
    const { registrar } = harness;
    const attempt = attemptOn('deleted.com.au');
    await registrar.register(attempt);
    harness.spoil('pending', 'delete');
    await registrar.cancel(attempt);
    expect(await registrar.cancel(attempt)).toEqual({ is: 'done', value: null });
    expect(await registrar.find(attempt)).toEqual({ is: 'done', value: 'none' });
  });

  it('a name of another registrar is taken, and found to be foreign', async () => {
    const attempt = attemptOn(TAKEN, randomUUID(), LONG_AGO());
    expect(await harness.registrar.register(attempt)).toMatchObject({ is: 'refused', reason: 'taken' });
    expect(await harness.registrar.find(attempt)).toEqual({ is: 'done', value: 'foreign' });
  });

  // fault, what register answers, whether it was executed
  it.each<[SharedFault, object, boolean]>([
    ['cut_before', { is: 'unknown' }, false],
    ['cut_after', { is: 'unknown' }, true],
    ['pending', { is: 'pending' }, true],
    ['funds', { is: 'refused', reason: 'funds' }, false],
    ['policy', { is: 'refused' }, false],
  ])('%s: asks, and sends the same attempt once more at most', async (fault, outcome, isExecuted) => {
    const { registrar } = harness;
    // As it is a while after the first sending, when it may be sent again.
    const attempt = attemptOn('faulty.com.au', randomUUID(), LONG_AGO());
    harness.spoil(fault);
    expect(await registrar.register(attempt)).toMatchObject(outcome);
    expect(harness.created).toHaveLength(isExecuted ? 1 : 0);
    const found = await registrar.find(attempt);
    if (fault === 'pending') expect(found).toMatchObject({ is: 'pending' });
    else if (isExecuted) expect(found).toMatchObject({ is: 'done', value: { name: attempt.name } });
    else expect(found).toEqual({ is: 'done', value: 'none' });
    if (isExecuted)
      // Known as executed, or not known: never as refused.
      expect((await registrar.register(attempt)).is).not.toBe('refused');
    expect(harness.created).toHaveLength(isExecuted ? 1 : 0);
    if (fault !== 'pending') return;
    harness.decide(attempt.name, 'done');
    expect(await registrar.find(attempt)).toMatchObject({ is: 'done', value: { name: attempt.name } });
  });

  it('ends an exchange by its own deadline; a late reply settles nothing, and asking does', async () => {
    const { registrar } = harness;
    const attempt = attemptOn('late.com.au');
    await registrar.register(attempt);
    const renewal = await renewalOf(attempt);
    harness.spoil('late', 'renew');
    harness.setTimeout(100);
    // On a busy machine it may end before it is sent.
    let answer = await registrar.renew(renewal);
    while (answer.is === 'refused') answer = await registrar.renew(renewal);
    expect(answer.is).toBe('unknown');
    harness.setTimeout(60_000);
    harness.sendLate();
    await until('it is renewed', async () => {
      const { is, value } = { value: null, ...(await registrar.findRenewal(renewal)) };
      return is === 'done' && value !== 'none';
    });
    const { expiresAt } = harness.holder(attempt.name) ?? {};
    expect(expiresAt?.getUTCFullYear()).toBe(renewal.expiresAt.getUTCFullYear() + 1);
  });

  it('a name of another is taken, and one of another order of ours too', async () => {
    const { registrar } = harness;
    harness.registerForeign('others.com.au');
    const lost = attemptOn('others.com.au', randomUUID(), LONG_AGO());
    expect(await registrar.register(lost)).toMatchObject({ is: 'refused', reason: 'taken' });
    expect(await registrar.find(lost)).toEqual({ is: 'done', value: 'foreign' });
    await registrar.register(attemptOn('ours.com.au'));
    const second = attemptOn('ours.com.au', randomUUID(), LONG_AGO());
    expect(await registrar.register(second)).toMatchObject({ is: 'refused', reason: 'taken' });
    expect(await registrar.find(second)).toEqual({ is: 'done', value: 'foreign' });
  });

  it('a name that an attempt unknown here registered is of its order: a restored backup lacks the attempt', async () => {
    const { registrar } = harness;
    const order = randomUUID();
    await registrar.register(attemptOn('restored.com.au', order, LONG_AGO()));
    const later = attemptOn('restored.com.au', order, new Date(Date.now() + 86_400_000));
    expect(await registrar.find(later)).toMatchObject({ is: 'done', value: { name: later.name } });
    expect(await registrar.register(later)).toMatchObject({ is: 'done', value: { name: later.name } });
    expect(harness.created).toHaveLength(1);
  });

  it('wrong credentials and a registrar that is away change nothing', async () => {
    const attempt = attemptOn('never.com.au');
    expect(await harness.impostor().register(attempt)).toMatchObject({
      is: 'refused',
      reason: 'credentials',
    });
    await harness.close();
    expect(await harness.registrar.register(attempt)).toMatchObject({ is: 'refused', reason: 'away' });
    expect(harness.created).toEqual([]);
  });

  it('says what it cannot do, or does it', async () => {
    const { registrar } = harness;
    await registrar.register(attemptOn('listed.com.au'));
    const { hasBalance, hasList } = registrar.capabilities();
    expect(await registrar.balance()).toMatchObject({ is: hasBalance ? 'done' : 'refused' });
    const page = await registrar.list(null);
    if (!hasList) expect(page).toMatchObject({ is: 'refused', reason: 'unsupported' });
    else
      expect(page).toMatchObject({
        value: {
          names: [{ name: 'listed.com.au', registrantId: REGISTRANT_OF_ATTEMPTS.id }],
          next: null,
        },
      });
    expect(await registrar.poll(() => Promise.reject(new Error('none waits')))).toEqual({
      is: 'done',
      value: 0,
    });
  });

  it('keeps evidence of each exchange, without passwords and personal details', async () => {
    const attempt = attemptOn('evident.com.au');
    harness.spoil('cut_after');
    await harness.registrar.register(attempt);
    await harness.registrar.find(attempt);
    const kept = await evidence.list(attempt.clTRID);
    expect(kept.map(({ command }) => command)).toContain('create');
    expect(kept.find(({ command }) => command === 'create')?.reply).toBeNull();
    const all = JSON.stringify(await test.database.query('SELECT request, reply FROM registrar_exchange'));
    for (const secret of [
      ...[...harness.secrets, attempt.password],
      ...['Ann', 'ann@example.com', 'George St', 'Smith', '299990000'],
    ])
      expect(all).not.toContain(secret);
    expect(all).toContain('004085616');
  });
});

describe('what the reseller API may do to a registration', () => {
  let harness: Awaited<ReturnType<typeof startReseller>>;
  beforeEach(async () => {
    harness = await startReseller(test, evidence);
  });
  afterEach(() => harness.close());

  // fault, what register answers, whether it was executed
  it.each<[ResellerFault, object, boolean]>([
    ['error_after', { is: 'unknown', why: 'status 500' }, true],
    ['page_after', { is: 'unknown' }, true],
    ['twice', { is: 'unknown', why: 'its request id was denied' }, true],
    ['elsewhere', { is: 'unknown', why: 'status 302' }, false],
    [500, { is: 'unknown' }, false],
    ['throttled', { is: 'refused', reason: 'busy', code: '429' }, false],
  ])('%s: asking settles it', async (fault, outcome, isExecuted) => {
    const { registrar, sandbox } = harness;
    const attempt = attemptOn('lied.com.au');
    sandbox.fail('create', fault);
    expect(await registrar.register(attempt)).toMatchObject(outcome);
    expect(await registrar.find(attempt)).toMatchObject(
      isExecuted
        ? { is: 'done', value: { name: attempt.name, isOfAnother: false } }
        : { is: 'done', value: 'none' },
    );
    expect(sandbox.created).toHaveLength(isExecuted ? 1 : 0);
    expect(sandbox.received).not.toContain('GET /elsewhere');
  });

  it.each<ResellerFault>(['cut_before', 500, 'throttled'])(
    'a denied request is no refusal of the key when the balance is asked and answered by %s',
    async (fault) => {
      const { registrar, sandbox } = harness;
      const attempt = attemptOn('denied.com.au');
      sandbox.fail('create', 'twice');
      sandbox.fail('balance', fault, 5);
      expect(await registrar.register(attempt)).toMatchObject({ is: 'unknown' });
      expect(await registrar.find(attempt)).toMatchObject({ is: 'done', value: { name: attempt.name } });
    },
  );

  it('what fails before the name is asked for registers nothing', async () => {
    const { registrar, sandbox } = harness;
    for (const command of ['customer', 'registrant'] as const) {
      sandbox.fail(command, 'cut_after');
      expect(await registrar.register(attemptOn('early.com.au'))).toMatchObject({
        is: 'refused',
        reason: 'away',
      });
    }
    expect(sandbox.received).not.toContain('POST /domains');
  });

  it('a renewal whose answer was lost is asked for, and never sent by asking', async () => {
    const { registrar, sandbox } = harness;
    const attempt = attemptOn('renewed.com.au');
    await registrar.register(attempt);
    const { expiresAt = new Date() } = harness.holder(attempt.name) ?? {};
    const renewal = { id: `BB-${randomUUID()}`, name: attempt.name, years: 1, expiresAt };
    sandbox.fail('renew', 'cut_before');
    expect(await registrar.renew(renewal)).toMatchObject({ is: 'unknown' });
    for (let asked = 0; asked < 3; asked += 1)
      expect(await registrar.findRenewal(renewal)).toEqual({ is: 'done', value: 'none' });
    expect(sandbox.received.filter((line) => line.endsWith('/renewal'))).toHaveLength(1);
  });

  it('a taken name that is not in our list is not known to be of another for 15 minutes', async () => {
    const { registrar, sandbox } = harness;
    sandbox.registerForeign('slow.com.au');
    expect(await registrar.find(attemptOn('slow.com.au'))).toMatchObject({ is: 'unknown' });
    expect(await registrar.find(attemptOn('slow.com.au', randomUUID(), LONG_AGO()))).toEqual({
      is: 'done',
      value: 'foreign',
    });
  });

  it('a list that is not of the name asked about does not say that it is of another', async () => {
    const { registrar, sandbox } = harness;
    const attempt = attemptOn('unlisted.com.au', randomUUID(), LONG_AGO());
    sandbox.registerForeign(attempt.name);
    await registrar.register(attemptOn('beside.com.au'));
    sandbox.fail('list', 'unfiltered');
    expect(await registrar.find(attempt)).toMatchObject({ is: 'unknown' });
    expect(await registrar.find(attempt)).toEqual({ is: 'done', value: 'foreign' });
  });

  it('a name under a customer that no order made is of another only if it is older', async () => {
    const { registrar, sandbox } = harness;
    const attempt = attemptOn('moved.com.au');
    await registrar.register(attempt);
    const ours = sandbox.names.get(attempt.name);
    if (!ours) throw new Error('it is not registered');
    const customers = sandbox.customers as Map<number, object>;
    customers.set(ours.customer, { ...customers.get(ours.customer), username: 'by-hand' });
    expect(await registrar.find(attempt)).toEqual({ is: 'done', value: 'unproven' });
    expect(await registrar.cancel(attempt)).toMatchObject({ is: 'refused', reason: 'policy' });
    const later = { ...attempt, startedAt: new Date(Date.now() + 3 * 86_400_000) };
    expect(await registrar.find(later)).toEqual({ is: 'done', value: 'foreign' });
  });

  it('takes no balance for one in another currency', async () => {
    const { registrar, sandbox } = harness;
    sandbox.currency = 'USD';
    expect(await registrar.balance()).toMatchObject({ is: 'unknown' });
  });

  it('settles orders before the quotes that wait, of which a suffix has one request', async () => {
    const { registrar, sandbox } = harness;
    sandbox.prices.set('org.au', { register: 10, renew: 10 });
    const from = sandbox.received.length;
    const prices = [1, 2, 3].flatMap((n) =>
      ['com.au', 'org.au'].map((suffix) => registrar.quote(`q${n}.${suffix}`, 1, 'registration')),
    );
    const asked = registrar.find(attemptOn('asked.com.au'));
    expect(await asked).toEqual({ is: 'done', value: 'none' });
    await Promise.all(prices);
    expect(sandbox.received.slice(from)).toEqual([
      ...['GET /domains/tlds', 'GET /domains', 'GET /domains/tlds', 'GET /domains/availability'],
    ]);
  });

  it('begins nothing that waited for more than 30 s', async () => {
    const { sandbox } = harness;
    let now = 0;
    const account = { registrar: 'sandbox', url: sandbox.url, key: sandbox.key, timeoutMs: 60_000 };
    const client = new ResellerClient(account, evidence, () => now);
    const balance = { command: 'balance', method: 'GET', path: '/finances/balance' } as const;
    const [first, second] = [client.send(balance), client.send(balance)];
    now = 31_000;
    expect(await first).toMatchObject({ is: 'done' });
    expect(await second).toMatchObject({ is: 'refused', reason: 'away', code: 'queue' });
    expect(await client.send(balance)).toMatchObject({ is: 'done' });
  });

  it('reads the balance, the prices and the list to its last page in whole cents', async () => {
    const { registrar, sandbox } = harness;
    sandbox.balance = 1234.1;
    expect(await registrar.balance()).toEqual({ is: 'done', value: { cents: 123_410 } });
    sandbox.prices.set('com.au', { register: 13.95, renew: 20 });
    expect(await registrar.quote('a.com.au', 1, 'registration')).toMatchObject({ value: { cents: 1395 } });
    expect(await registrar.quote('a.com.au', 1, 'renewal')).toMatchObject({ value: { cents: 2000 } });
    const one = { customer: 1, registrant: 1, eligibility: [], status: 2 };
    for (let id = 1; id <= 150; id += 1)
      sandbox.names.set(`n${id}.com.au`, { ...one, id, startedAt: new Date(), expiresAt: new Date() });
    const first = await registrar.list(null);
    const { names, next } = first.is === 'done' ? first.value : { names: [], next: null };
    expect([names.length, next]).toEqual([100, '2']);
    expect(await registrar.list(next)).toMatchObject({ value: { next: null } });
  });
});
