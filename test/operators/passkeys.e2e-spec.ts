import { mintOperatorKey } from '../../src/ops/operator-key.js';
import type { Client } from '../support/app.js';
import { makeAuthenticator } from '../support/authenticator.js';
import { HandedClock } from '../support/clock.js';
import { type AccountsApp, fieldOf, startAccountsApp } from '../support/visitor.js';

const KEY = mintOperatorKey();
const OTHER = mintOperatorKey();

const clock = new HandedClock(new Date());
let test: AccountsApp;
beforeAll(async () => {
  const settings = {
    BASE_URL: 'http://localhost',
    OPERATOR_KEY_HASH: `alice:${KEY.hash},bob:${OTHER.hash}:look`,
  };
  test = await startAccountsApp(settings, clock);
});
afterAll(() => test.close());

async function send(browser: Client, path: string, fields: Record<string, string>) {
  const { text } = await browser.get('/ops/sign-in').expect(200);
  return browser
    .post(path)
    .type('form')
    .send({ form_token: fieldOf(text, 'form_token'), ...fields });
}

async function signedIn(key = KEY.text): Promise<Client> {
  const browser = test.caller();
  expect((await send(browser, '/ops/sign-in', { key })).status).toBe(303);
  return browser;
}

const options = async (browser: Client, path: string) =>
  (await browser.post(`${path}/options`).expect(200)).body;

async function add(browser: Client, device: ReturnType<typeof makeAuthenticator>) {
  const response = device.make(await options(browser, '/ops/passkeys'));
  return send(browser, '/ops/passkeys', { response });
}

async function prove(device: ReturnType<typeof makeAuthenticator>, behaviour = {}) {
  const browser = test.caller();
  const response = device.prove(await options(browser, '/ops/sign-in/passkey'), behaviour);
  return { browser, response, answer: await send(browser, '/ops/sign-in/passkey', { response }) };
}

describe('a passkey of an operator', () => {
  it('signs its operator in, with the role of the key, and once only', async () => {
    const device = makeAuthenticator();
    const added = await add(await signedIn(OTHER.text), device);
    expect(added.headers.location).toBe('/ops/passkeys?done=add');
    const { browser, response, answer } = await prove(device);
    expect(answer).toMatchObject({ status: 303, headers: { location: '/ops' } });
    expect((await browser.get('/ops').expect(200)).text).toContain('bob (look)');
    expect((await send(test.caller(), '/ops/sign-in/passkey', { response })).status).toBe(401);
    const entries = await test.database.query(
      `SELECT actor, action FROM audit_log WHERE subject = 'operators' AND actor = 'operator:bob' ORDER BY id`,
    );
    expect(entries.map(({ action }) => action)).toEqual([
      'operator.sign-in',
      'operator.passkey-add',
      'operator.sign-in',
    ]);
  });

  it.each([
    ['of another site', { origin: 'http://elsewhere.example' }],
    ['that only felt a touch', { verifies: false }],
  ])('%s is refused', async (_, behaviour) => {
    const device = makeAuthenticator();
    await add(await signedIn(), device);
    expect((await prove(device, behaviour)).answer.status).toBe(401);
    expect((await prove(device)).answer.status).toBe(303);
  });

  it('nobody added is refused, and counts as a wrong key', async () => {
    const { answer } = await prove(makeAuthenticator());
    expect(answer.status).toBe(401);
    expect(answer.text).toContain('This passkey is not one of an operator.');
    const browser = test.caller();
    for (let guess = 0; guess < 10; guess += 1)
      await send(browser, '/ops/sign-in/passkey', { response: '{"id":"x","response":{}}' });
    expect((await send(browser, '/ops/sign-in', { key: KEY.text })).status).toBe(429);
  });

  it('is not added with the challenge of somebody else, nor twice', async () => {
    const device = makeAuthenticator();
    const browser = await signedIn();
    const asked = await options(await signedIn(OTHER.text), '/ops/passkeys');
    expect((await send(browser, '/ops/passkeys', { response: device.make(asked) })).status).toBe(400);
    const own = device.make(await options(browser, '/ops/passkeys'));
    expect((await send(browser, '/ops/passkeys', { response: own })).status).toBe(303);
    expect((await send(browser, '/ops/passkeys', { response: own })).status).toBe(400);
    await test.caller().post('/ops/passkeys/options').expect(303);
  });

  it('works as long as its key, and is removed by its operator alone', async () => {
    const device = makeAuthenticator();
    const browser = await signedIn();
    await add(browser, device);
    const { text } = await browser.get('/ops/passkeys').expect(200);
    const id = fieldOf(text, 'id');
    expect((await send(await signedIn(OTHER.text), '/ops/passkeys/remove', { id })).status).toBe(404);
    await test.database.query(`UPDATE operator_passkey SET key_hash = repeat('0', 64) WHERE id = $1`, [id]);
    expect((await prove(device)).answer.status).toBe(401);
    await test.database.query('UPDATE operator_passkey SET key_hash = $2 WHERE id = $1', [id, KEY.hash]);
    expect((await send(browser, '/ops/passkeys/remove', { id })).headers.location).toBe(
      '/ops/passkeys?done=remove',
    );
    expect((await prove(device)).answer.status).toBe(401);
  });

  it('is asked for anew after five minutes', async () => {
    const device = makeAuthenticator();
    await add(await signedIn(), device);
    const browser = test.caller();
    const asked = await options(browser, '/ops/sign-in/passkey');
    clock.set(new Date((await clock.now()).getTime() + 5 * 60_000));
    const response = device.prove(asked);
    expect((await send(browser, '/ops/sign-in/passkey', { response })).status).toBe(401);
  });
});
