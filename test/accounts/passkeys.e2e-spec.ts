import { makeAuthenticator } from '../support/authenticator.js';
import { whileNothingIsNoted } from '../support/database.js';
import {
  accountsAppOfFile,
  PASSWORD,
  signedInVisitor,
  untilTold,
  type Visitor,
  visitorOf,
} from '../support/visitor.js';

const test = accountsAppOfFile({ BASE_URL: 'http://localhost' });

type Authenticator = ReturnType<typeof makeAuthenticator>;

const ADD = '/profile/security/passkeys';

async function add(visitor: Visitor, authenticator: Authenticator, name = 'My phone'): Promise<void> {
  const { body } = await visitor.send(`${ADD}/options`, { password: PASSWORD }).expect(200);
  await visitor.send(ADD, { name, response: authenticator.make(body) }).expect(303);
}

/** @returns somebody without a session, and the answer to the options that they asked for */
async function prove(authenticator: Authenticator): Promise<{ visitor: Visitor; response: string }> {
  const visitor = visitorOf(test);
  const { body } = await visitor.send('/sign-in/passkey/options', {}).expect(200);
  return { visitor, response: authenticator.prove(body) };
}

async function statusOfSignIn(authenticator: Authenticator): Promise<number> {
  const { visitor, response } = await prove(authenticator);
  return (await visitor.send('/sign-in/passkey', { response })).status;
}

const passkeyId = async (visitor: Visitor) =>
  /passkeys\/([0-9a-f-]{36})\/remove/.exec((await visitor.open('/profile/security').expect(200)).text)?.[1] ??
  '';

describe('a passkey', () => {
  it('is added with the password, signs in alone, and is told of by mail and record', async () => {
    const visitor = await signedInVisitor(test);
    const phone = makeAuthenticator();
    await add(visitor, phone);
    const { visitor: owner, response } = await prove(phone);
    const { headers } = await owner.send('/sign-in/passkey', { response }).expect(303);
    expect(headers.location).toBe('/profile/api-keys');
    const { text } = await owner.open('/profile/activity').expect(200);
    for (const words of ['A passkey was added: My phone', 'Signed in: with a passkey'])
      expect(text).toContain(words);
    await untilTold(test, visitor.email, 'The passkey "My phone" was added');
  });

  it('is added, mailed of and signs in although the audit log takes no entry', async () => {
    const visitor = await signedInVisitor(test);
    const phone = makeAuthenticator();
    await whileNothingIsNoted(test.database, async () => {
      await add(visitor, phone, 'Unnoted');
      expect(await statusOfSignIn(phone)).toBe(303);
    });
    await untilTold(test, visitor.email, 'The passkey "Unnoted" was added');
  });

  it('does not sign in a second time with the same proof, nor in another browser', async () => {
    const phone = makeAuthenticator();
    await add(await signedInVisitor(test), phone);
    const { visitor, response } = await prove(phone);
    await visitorOf(test).send('/sign-in/passkey', { response }).expect(401);
    await visitor.send('/sign-in/passkey', { response }).expect(303);
    await visitor.send('/sign-in/passkey', { response }).expect(401);
  });

  it('is not begun without the right password, and not taken for another account', async () => {
    const visitor = await signedInVisitor(test);
    await visitor.send(`${ADD}/options`, { password: 'not the password' }).expect(401);
    const phone = makeAuthenticator();
    await visitor.send(ADD, { name: 'x', response: phone.make({ challenge: 'made-up' }) }).expect(401);
    const { body } = await visitor.send(`${ADD}/options`, { password: PASSWORD }).expect(200);
    const other = await signedInVisitor(test);
    await other.send(ADD, { name: 'x', response: phone.make(body) }).expect(401);
    await other.send(ADD, { name: 'x', response: 'no JSON' }).expect(400);
    const signIn = await visitorOf(test).send('/sign-in/passkey/options', {}).expect(200);
    await visitor.send(ADD, { name: 'x', response: phone.make(signIn.body) }).expect(401);
    expect([await passkeyId(visitor), await passkeyId(other)]).toEqual(['', '']);
  });

  it.each([
    ['of a page of another host', { origin: 'http://evil.example' }],
    ['of another port of this machine', { origin: 'http://localhost:8080' }],
    ['that was only touched', { verifies: false }],
  ])('is not taken from an authenticator %s', async (_, behaviour) => {
    const visitor = await signedInVisitor(test);
    const { body } = await visitor.send(`${ADD}/options`, { password: PASSWORD }).expect(200);
    const response = makeAuthenticator().make(body, behaviour);
    const faults = test.log.filter((line) => line.includes('"level":50')).length;
    await visitor.send(ADD, { name: 'x', response }).expect(401);
    expect(test.log.filter((line) => line.includes('"level":50')).length).toBe(faults);
    expect(await passkeyId(visitor)).toBe('');
  });

  it('signs in nobody once it is removed, which takes the password and the account', async () => {
    const visitor = await signedInVisitor(test);
    const phone = makeAuthenticator();
    await add(visitor, phone, 'Old <phone>');
    const remove = `${ADD}/${await passkeyId(visitor)}/remove`;
    await visitor.send(remove, { password: 'not the password' }).expect(401);
    const other = await signedInVisitor(test);
    await other.send(remove, { password: PASSWORD }).expect(404);
    expect(await statusOfSignIn(phone)).toBe(303);
    await visitor.send(remove, { password: PASSWORD }).expect(303);
    expect(await statusOfSignIn(phone)).toBe(401);
    await untilTold(test, visitor.email, 'was removed from your account');
    const { text } = await visitor.open('/profile/activity').expect(200);
    expect(text).toContain('A passkey was removed: Old &lt;phone&gt;');
  });

  it('that was only touched signs nobody in', async () => {
    const key = makeAuthenticator();
    await add(await signedInVisitor(test), key);
    const visitor = visitorOf(test);
    const { body } = await visitor.send('/sign-in/passkey/options', {}).expect(200);
    const { text } = await visitor
      .send('/sign-in/passkey', { response: key.prove(body, { verifies: false }) })
      .expect(401);
    expect(text).toContain('did not check that it is you');
  });

  it('is begun with a code as well where the second factor is on', async () => {
    const visitor = await signedInVisitor(test);
    const { text } = await visitor.send('/profile/second-factor', { password: PASSWORD }).expect(201);
    const code = /<li><code>([A-Za-z0-9]{5}-[A-Za-z0-9]{5})<\/code>/.exec(text)?.[1] ?? '';
    await visitor
      .open('/profile/security')
      .expect(({ text: page }) => expect(page).not.toContain('name="code"'));
    // As if a code of it had been seen.
    await test.database.query(`UPDATE account SET two_factor_enabled = true WHERE email = $1`, [
      visitor.email,
    ]);
    await test.database.query('UPDATE account_second_factor SET verified = true');
    const begin = (form: Record<string, string>) =>
      visitor.send(`${ADD}/options`, { password: PASSWORD, ...form });
    const wrong: Record<string, string>[] = [{}, { code: '' }, { code: '000000' }, { code: 'aaaaa-aaaaa' }];
    for (const form of wrong) expect((await begin(form).expect(401)).text).toContain('class="note bad"');
    await visitor.open('/profile/security').expect(({ text: page }) => expect(page).toContain('name="code"'));
    const phone = makeAuthenticator();
    const { body } = await begin({ code }).expect(200);
    await visitor.send(ADD, { name: 'x', response: phone.make(body) }).expect(303);
    expect(await statusOfSignIn(phone)).toBe(303);
    await begin({ code }).expect(401);
  });

  it('opens no account that an operator has disabled', async () => {
    const visitor = await signedInVisitor(test);
    const phone = makeAuthenticator();
    await add(visitor, phone);
    await test.database.query('UPDATE account SET disabled_at = now() WHERE email = $1', [visitor.email]);
    expect(await statusOfSignIn(phone)).toBe(403);
  });

  it('is not known to strangers, whose tries are no faults in the log', async () => {
    const faults = test.log.filter((line) => line.includes('"level":50')).length;
    expect(await statusOfSignIn(makeAuthenticator())).toBe(401);
    const { visitor } = await prove(makeAuthenticator());
    await visitor.send('/sign-in/passkey', { response: '{"id":"x"}' }).expect(400);
    await visitor.send('/sign-in/passkey', {}).expect(400);
    await visitor.agent.post('/sign-in/passkey').set('Origin', 'https://evil.example').expect(403);
    expect(test.log.filter((line) => line.includes('"level":50')).length).toBe(faults);
  });
});
