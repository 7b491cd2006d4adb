import { AccountPurge } from '../../src/accounts/account-purge.js';
import { AccountRepository } from '../../src/accounts/account.repository.js';
import { AttemptLimit, HashingSemaphore } from '../../src/accounts/attempt-limit.js';
import { createHmac } from 'node:crypto';
import { ACCOUNT_LIBRARY } from '../../src/accounts/accounts.service.js';
import type { AccountLibrary } from '../../src/accounts/account-library.js';
import { WITH_KEYS } from '../support/accounts.js';
import { startTestApp } from '../support/app.js';
import { until } from '../support/processes.js';
import {
  type AccountsApp,
  accountsAppOfFile,
  mailedToken,
  mailsTo,
  newSession,
  PASSWORD,
  signedInVisitor,
  startAccountsApp,
  untilTold,
  visitorOf,
} from '../support/visitor.js';

const test = accountsAppOfFile();

const accountOf = (email: string) => new AccountRepository(test.database).findAccount(email);

describe('signing up', () => {
  it('makes a member account when the address is confirmed, with the password chosen then', async () => {
    const visitor = visitorOf(test);
    const { email } = visitor;
    const { text } = await visitor.send('/sign-up', { email }).expect(200);
    expect(text).toContain('Check your email');
    expect(await accountOf(email)).toBeNull();
    const form = { token: await mailedToken(test, email), password: PASSWORD };
    const confirmed = await visitor.send('/confirm-email', form).expect(303);
    const next = await visitor.open(String(confirmed.headers.location)).expect(303);
    const page = await visitor.open(String(next.headers.location)).expect(200);
    expect(page.text).toContain('The password is strong.');
    expect(page.text).toContain(email);
    expect(await accountOf(email)).toMatchObject({ confirmed: true, tier: 'member' });
    const { headers } = await visitor.send('/sign-in', { email, password: PASSWORD }).expect(303);
    expect(headers.location).toBe('/profile/api-keys');
    await visitor.send('/confirm-email', { ...form, password: 'of a stranger' }).expect(400);
  });

  it('by a stranger leaves nothing that the owner of the address could confirm by mistake', async () => {
    const [stranger, owner] = [visitorOf(test), visitorOf(test)];
    const { email } = owner;
    await stranger.send('/sign-up', { email }).expect(200);
    await mailedToken(test, email);
    await owner.send('/sign-up', { email }).expect(200);
    const token = await mailedToken(test, email, 2);
    // The first link is void, and the stranger has never had a password there.
    const first = await mailedToken(test, email, 1);
    await owner.send('/confirm-email', { token: first, password: PASSWORD }).expect(400);
    await owner.send('/confirm-email', { token, password: PASSWORD }).expect(303);
    await stranger.send('/sign-in', { email, password: 'the stranger’s' }).expect(401);
    await owner.send('/sign-in', { email, password: PASSWORD }).expect(303);
  });

  it('replaces an unconfirmed account of an earlier version, with its password', async () => {
    const visitor = visitorOf(test);
    const { email } = visitor;
    const { api } = test.app.get<AccountLibrary>(ACCOUNT_LIBRARY);
    await api.signUpEmail({ body: { name: '', email, password: 'the stranger’s' } });
    await visitor.send('/sign-up', { email }).expect(200);
    const form = { token: await mailedToken(test, email), password: PASSWORD };
    await visitor.send('/confirm-email', form).expect(303);
    await visitor.send('/sign-in', { email, password: 'the stranger’s' }).expect(401);
    await visitor.send('/sign-in', { email, password: PASSWORD }).expect(303);
  });

  it('answers alike for an address that has an account, whose owner gets a mail', async () => {
    const { email } = await signedInVisitor(test);
    const second = visitorOf(test);
    const again = await second.send('/sign-up', { email }).expect(200);
    const fresh = await second.send('/sign-up', { email: second.email }).expect(200);
    expect(again.text.replaceAll(email, 'X')).toBe(fresh.text.replaceAll(second.email, 'X'));
    await untilTold(test, email, 'already have a Bowerbird account');
  });

  it('takes neither a tier nor a password from the form', async () => {
    const visitor = visitorOf(test);
    const { email } = visitor;
    for (const field of ['tier', 'password', 'email_verified', 'emailVerified'])
      await visitor.send('/sign-up', { email, [field]: 'pro' }).expect(400);
    expect(await accountOf(email)).toBeNull();
  });

  it.each([
    ['no address', { email: '' }, 'Enter an email address'],
    ['no field for it', {}, 'Enter an email address'],
    ['no valid address', { email: 'nobody' }, 'Enter an email address'],
    ['a long address', { email: `${'a'.repeat(250)}@example.com` }, 'address is too long'],
  ])('%s is a 400 with a message in the form', async (_, form, message) => {
    const { text } = await visitorOf(test).send('/sign-up', form).expect(400);
    expect(text).toContain('role="alert"');
    expect(text).toContain(message);
    expect(text).toContain('action="/sign-up"');
  });

  it('shows what was entered, escaped, and never a password', async () => {
    const form = { email: '"><script>alert(1)</script>', password: 'a secret of mine' };
    for (const path of ['/sign-up', '/sign-in']) {
      const { text } = await visitorOf(test).send(path, form).expect(400);
      expect(text).not.toContain('<script>alert');
      expect(text).not.toContain('a secret of mine');
    }
  });

  it('a forged, truncated or old link makes no account; a bad password does not use it up', async () => {
    const visitor = visitorOf(test);
    const { email } = visitor;
    await visitor.send('/sign-up', { email }).expect(200);
    const token = await mailedToken(test, email);
    for (const wrong of [token.slice(0, -2), `${token}x`, 'nonsense'])
      await visitor.send('/confirm-email', { token: wrong, password: PASSWORD }).expect(400);
    for (const [password, message] of [
      ['short', '10 to 128 characters'],
      ['x'.repeat(129), '10 to 128 characters'],
      [email, 'must not be your address'],
      ['qwertyuiop', 'passwords that are tried first'],
    ] as const) {
      const { text } = await visitor.send('/confirm-email', { token, password }).expect(400);
      expect(text).toContain(message);
      expect(text).toContain(`value="${token}"`);
    }
    expect(await accountOf(email)).toBeNull();
    await test.app.get(AccountPurge).purge(new Date(Date.now() + 7_200_000));
    await visitor.send('/confirm-email', { token, password: PASSWORD }).expect(400);
  });

  it('stores nothing that could replace a mailed link or a cookie', async () => {
    const visitor = await signedInVisitor(test);
    const { email } = visitorOf(test);
    await visitor.send('/sign-up', { email }).expect(200);
    await visitor.send('/forgotten-password', { email: visitor.email }).expect(200);
    const tokens = [await mailedToken(test, email), await mailedToken(test, visitor.email)];
    const cookie = decodeURIComponent(await sessionCookie(visitor.email)).split('=')[1] ?? '';
    tokens.push(cookie.slice(0, cookie.indexOf('.')));
    const rows = await test.database.query<{ row: string }>(
      `SELECT to_jsonb(l)::text AS row FROM account_link l UNION ALL SELECT to_jsonb(s)::text FROM account_session s
       UNION ALL SELECT to_jsonb(u)::text FROM account_sign_up u`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(3);
    for (const token of tokens) {
      expect(token.length).toBeGreaterThan(20);
      expect(rows.filter(({ row }) => row.includes(token))).toEqual([]);
    }
    // What is stored does not work as a cookie either.
    const [session] = await test.database.query<{ token: string }>(
      'SELECT token FROM account_session LIMIT 1',
    );
    const [name = ''] = (await newSession(test, visitor.email)).split('=');
    const forged = createHmac('sha256', WITH_KEYS.AUTH_SECRET)
      .update(session?.token ?? '')
      .digest('base64');
    const value = encodeURIComponent(`${session?.token ?? ''}.${forged}`);
    await test.caller().get('/profile').set('Cookie', `${name}=${value}`).expect(303);
  });
});

describe('signing in', () => {
  it('answers alike for a wrong password and an address without an account', async () => {
    const { email } = await signedInVisitor(test);
    const visitor = visitorOf(test);
    const wrong = await visitor.send('/sign-in', { email, password: 'not the password' }).expect(401);
    const unknown = await visitor.send('/sign-in', { email: visitor.email, password: PASSWORD }).expect(401);
    expect(wrong.text.replaceAll(email, 'X')).toBe(unknown.text.replaceAll(visitor.email, 'X'));
  });

  it('lasts while the secret is replaced, and ends when the old one is no longer accepted', async () => {
    const visitor = await signedInVisitor(test);
    const cookie = await newSession(test, visitor.email);
    const next = 'another-secret-of-the-tests-0123456789abcdef';
    const statusWith = async (secrets: Record<string, string>) => {
      const other = await startAccountsApp({ DATABASE_URL: test.databaseUrl, ...secrets });
      const { status } = await other.caller().get('/profile').set('Cookie', cookie);
      await other.close();
      return status;
    };
    const { AUTH_SECRET: last } = WITH_KEYS;
    expect(await statusWith({ AUTH_SECRET: next, AUTH_SECRET_ALSO: last })).toBe(200);
    expect(await statusWith({ AUTH_SECRET: last, AUTH_SECRET_ALSO: next })).toBe(200);
    expect(await statusWith({ AUTH_SECRET: next })).toBe(303);
  });

  it('is refused after ten attempts at one account, also with the right password, with Retry-After', async () => {
    const { email } = await signedInVisitor(test);
    const thief = visitorOf(test);
    const guesses = Array.from({ length: 10 }, () =>
      thief.send('/sign-in', { email, password: 'not the password' }),
    );
    for (const { status } of await Promise.all(guesses)) expect(status).toBe(401);
    const { text, headers } = await thief.send('/sign-in', { email, password: PASSWORD }).expect(429);
    expect(text).toContain('Too many attempts. Try again in 15 minutes.');
    expect(Number(headers['retry-after'])).toBeGreaterThan(800);
    // The owner has another address.
    await visitorOf(test).send('/sign-in', { email, password: PASSWORD }).expect(303);
  });

  it('counts all addresses of one IPv6 network together', async () => {
    const { email } = await signedInVisitor(test);
    const guess = (address: string) =>
      visitorOf(test)
        .send('/sign-in', { email, password: 'not the password' })
        .set('X-Forwarded-For', address);
    const guesses = Array.from({ length: 10 }, (_, place) => guess(`2001:db8:9:1::${place + 1}`));
    for (const { status } of await Promise.all(guesses)) expect(status).toBe(401);
    await guess('2001:db8:9:1:ffff::1').expect(429);
    await guess('2001:db8:9:2::1').expect(401);
  });

  it('sets a cookie that is hidden from scripts and other sites', async () => {
    const { email } = await signedInVisitor(test);
    const { headers } = await visitorOf(test).send('/sign-in', { email, password: PASSWORD });
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^bowerbird\.session_token=/);
    for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(attribute);
  });

  it('sets a cookie for HTTPS only if the service has an https address', async () => {
    const { email } = await signedInVisitor(test);
    const secure = await startAccountsApp({
      BASE_URL: 'https://bowerbird.test',
      DATABASE_URL: test.databaseUrl,
    });
    const { headers } = await visitorOf(secure).send('/sign-in', { email, password: PASSWORD }).expect(303);
    expect(headers['set-cookie']?.[0]).toMatch(/^__Secure-bowerbird\.session_token=.*; Secure/);
    await secure.close();
  });

  it('lasts over restarts and on every instance', async () => {
    const visitor = await signedInVisitor(test);
    const other = await startAccountsApp({ DATABASE_URL: test.databaseUrl });
    const cookies = await newSession(test, visitor.email);
    await other.caller().get('/profile').set('Cookie', cookies).expect(200);
    await other.close();
  });

  it('makes a new session, whatever cookie came with the sign-in', async () => {
    const thief = await signedInVisitor(test);
    const planted = await newSession(test, thief.email);
    const { email } = await signedInVisitor(test);
    const signIn = visitorOf(test).send('/sign-in', { email, password: PASSWORD }).set('Cookie', planted);
    const { headers } = await signIn.expect(303);
    const cookie = String(headers['set-cookie']?.[0]).split(';')[0] ?? '';
    expect(cookie).not.toBe(planted);
    const whose = async (session: string) =>
      (await test.caller().get('/profile').set('Cookie', session)).text;
    expect(await whose(cookie)).toContain(email);
    // The planted cookie is still the thief's session.
    expect(await whose(planted)).not.toContain(email);
  });

  it('a cookie that was tampered with is no session', async () => {
    const { email } = await signedInVisitor(test);
    const cookie = await sessionCookie(email);
    const wrong = cookie.replace(/=(.)/, (_, first: string) => `=${first === 'a' ? 'b' : 'a'}`);
    await test.caller().get('/profile').set('Cookie', wrong).expect(303).expect('Location', '/sign-in');
    await test.caller().get('/profile').set('Cookie', cookie).expect(200);
  });
});

describe('signing in with the real hash and the minimum time', () => {
  let hashing: AccountsApp;
  beforeAll(async () => {
    hashing = await startAccountsApp({ DATABASE_URL: test.databaseUrl }, undefined, true);
  });
  afterAll(() => hashing.close());

  it('is a 503 with Retry-After while an address has its places for hashing and others wait, known mail address or not', async () => {
    const { email } = await signedInVisitor(hashing);
    const semaphore = hashing.app.get(HashingSemaphore, { strict: false });
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const others = Array.from({ length: 3 }, () => semaphore.run(() => ended));
    let refusals = 0;
    const tries = Array.from({ length: 16 }, async (_, place) => {
      const visitor = visitorOf(hashing);
      const form = { email: place % 2 ? email : visitor.email, password: 'not the password' };
      const answer = await visitor.send('/sign-in', form).set('X-Forwarded-For', '203.0.113.7');
      if (answer.status === 503) refusals += 1;
      return answer;
    });
    await until('all but two to be refused', () => refusals === 14);
    end();
    const answers = await Promise.all(tries);
    await Promise.all(others);
    const refused = answers.filter(({ status }) => status === 503);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(2);
    expect(refused[0]?.headers['retry-after']).toBe('2');
    expect(refused[0]?.text).toContain('Too many people are signing in');
  });

  it('takes the same time for an address without an account', async () => {
    const { email } = await signedInVisitor(hashing);
    const visitor = visitorOf(hashing);
    const taken = async (path: string, form: Record<string, string>) => {
      const start = performance.now();
      await visitor.send(path, form);
      return performance.now() - start;
    };
    for (const [path, more] of [
      ['/sign-in', { password: 'not the password' }],
      ['/sign-up', {}],
      ['/forgotten-password', {}],
    ] as const) {
      const known = await taken(path, { email, ...more });
      const unknown = await taken(path, { email: visitorOf(test).email, ...more });
      expect(Math.min(known, unknown)).toBeGreaterThanOrEqual(490);
    }
  });
});

describe('signing out', () => {
  it('ends the session, also for copies of its cookie', async () => {
    const { email } = await signedInVisitor(test);
    const cookie = await newSession(test, email);
    await test.caller().post('/sign-out').set('Cookie', cookie).expect(303);
    await test.caller().get('/profile').set('Cookie', cookie).expect(303).expect('Location', '/sign-in');
  });
});

describe('the password', () => {
  it('is changed with the current one; other sessions end, this one stays', async () => {
    const visitor = await signedInVisitor(test);
    const elsewhere = await newSession(test, visitor.email);
    const next = 'another good password';
    const form = { current_password: 'not the password', new_password: next };
    const { text } = await visitor.send('/profile/password', form).expect(401);
    expect(text).toContain('The current password is not right.');
    await visitor.send('/profile/password', { ...form, current_password: PASSWORD }).expect(303);
    await untilTold(test, visitor.email, 'Your Bowerbird password was changed');
    await visitor.open('/profile').expect(200);
    await test.caller().get('/profile').set('Cookie', elsewhere).expect(303);
    await visitorOf(test).send('/sign-in', { email: visitor.email, password: PASSWORD }).expect(401);
    await visitorOf(test).send('/sign-in', { email: visitor.email, password: next }).expect(303);
  });

  it('is reset by a mailed link, once; every session ends', async () => {
    const visitor = await signedInVisitor(test);
    const { email } = visitor;
    await visitorOf(test).send('/forgotten-password', { email }).expect(200);
    const token = await mailedToken(test, email);
    const form = { token, password: 'a brand new password' };
    await visitorOf(test).send('/new-password', form).expect(303);
    await visitorOf(test).send('/new-password', form).expect(400);
    await visitor.open('/profile').expect(303);
    await visitorOf(test).send('/sign-in', { email, password: form.password }).expect(303);
    await untilTold(test, email, 'Your Bowerbird password was changed');
  });

  it('is rated while it is typed, against the address, and not stored', async () => {
    const visitor = await signedInVisitor(test);
    const judge = async (password: string, token = '', username = '') => {
      const { body } = await visitor.send('/password-strength', { password, token, username }).expect(200);
      return (body as { words: string }).words;
    };
    const secret = 'blau 7 Regenschirm wandert';
    expect([await judge('abcdefgh12'), await judge(secret)]).toEqual([
      expect.stringContaining('weak'),
      'The password is strong.',
    ]);
    expect(await judge('PASSWORD1234')).toContain('tried first');
    expect(await judge(visitor.email, '', visitor.email)).toContain('your address');
    await visitor.send('/forgotten-password', { email: visitor.email }).expect(200);
    const token = await mailedToken(test, visitor.email);
    expect(await judge(visitor.email, token)).toContain('your address');
    await visitor.send('/new-password', { token, password: visitor.email }).expect(400);
    expect(test.log.join('')).not.toContain(secret);
  });

  it('is rated 200 times in a quarter of an hour', async () => {
    const address = '203.0.113.50';
    const limit = test.app.get(AttemptLimit);
    for (let count = 0; count < 199; count += 1) await limit.countFrom('passwordStrength', address);
    const judge = () =>
      visitorOf(test).send('/password-strength', { password: PASSWORD }).set('X-Forwarded-For', address);
    await judge().expect(200);
    await judge().expect(429);
  });

  it('ends earlier links when it is changed, by a link or by a form', async () => {
    const visitor = await signedInVisitor(test);
    const { email } = visitor;
    const tokenOf = async (mails: number) => {
      await visitorOf(test).send('/forgotten-password', { email }).expect(200);
      return mailedToken(test, email, mails);
    };
    const set = (token: string, password: string) =>
      visitorOf(test).send('/new-password', { token, password });
    const next = 'a brand new password';
    const first = await tokenOf(1);
    await set(await tokenOf(2), next).expect(303);
    await set(first, 'of a stranger').expect(400);

    const again = visitorOf(test);
    await again.send('/sign-in', { email, password: next }).expect(303);
    await until('the mail about the change', () => mailsTo(test, email).length === 4);
    const third = await tokenOf(5);
    await again
      .send('/profile/password', {
        current_password: next,
        new_password: 'yet another password',
      })
      .expect(303);
    await set(third, 'of a stranger').expect(400);
  });

  it('unlocks the account when it is reset by a mailed link', async () => {
    const { email } = await signedInVisitor(test);
    const limit = test.app.get(AttemptLimit);
    for (let count = 0; count < 100; count += 1) await limit.count('signInToAccount', email);
    const locked = await visitorOf(test).send('/sign-in', { email, password: PASSWORD }).expect(429);
    expect(Number(locked.headers['retry-after'])).toBeLessThanOrEqual(3600);
    await visitorOf(test).send('/forgotten-password', { email }).expect(200);
    const form = { token: await mailedToken(test, email), password: 'a brand new password' };
    await visitorOf(test).send('/new-password', form).expect(303);
    await visitorOf(test).send('/sign-in', { email, password: form.password }).expect(303);
  });

  it('is reset with the same answer for an address without an account', async () => {
    const { email } = await signedInVisitor(test);
    const visitor = visitorOf(test);
    const known = await visitor.send('/forgotten-password', { email }).expect(200);
    const unknown = await visitor.send('/forgotten-password', { email: visitor.email }).expect(200);
    expect(known.text.replaceAll(email, 'X')).toBe(unknown.text.replaceAll(visitor.email, 'X'));
    expect(mailsTo(test, visitor.email)).toEqual([]);
  });

  it('is mailed about five times an hour at most', async () => {
    const { email } = await signedInVisitor(test);
    const ask = (to: string) => visitorOf(test).send('/forgotten-password', { email: to }).expect(200);
    await Promise.all(Array.from({ length: 8 }, () => ask(email)));
    await until('five mails', () => mailsTo(test, email).length === 5);
    const other = await signedInVisitor(test);
    await ask(other.email);
    await until('a later mail to another address', () => mailsTo(test, other.email).length === 1);
    expect(mailsTo(test, email)).toHaveLength(5);
  });

  it('is mailed its link although a stranger signs up with the address repeatedly', async () => {
    const { email } = await signedInVisitor(test);
    const signUp = () => visitorOf(test).send('/sign-up', { email }).expect(200);
    await Promise.all(Array.from({ length: 7 }, signUp));
    await until('five mails', () => mailsTo(test, email).length === 5);
    await visitorOf(test).send('/forgotten-password', { email }).expect(200);
    await mailedToken(test, email, 6);
  });
});

describe('deleting the account', () => {
  it('needs the password, and leaves nothing behind', async () => {
    const visitor = await signedInVisitor(test);
    await visitor.send('/profile/delete', { password: 'not the password' }).expect(401);
    expect(await accountOf(visitor.email)).not.toBeNull();
    await visitor.send('/profile/delete', { password: PASSWORD }).expect(303);
    await visitor.open('/profile').expect(303);
    expect(await accountOf(visitor.email)).toBeNull();
    const left = await test.database.query<{ rows: number }>(
      `SELECT count(*)::int AS rows FROM (
         SELECT account_id FROM account_session UNION ALL SELECT account_id FROM account_credential
         UNION ALL SELECT account_id FROM api_key) AS belongings
        WHERE account_id NOT IN (SELECT id FROM account)`,
    );
    expect(left).toEqual([{ rows: 0 }]);
  });
});

describe('forms', () => {
  it.each([
    ['another site', { Origin: 'https://evil.example' }],
    ['another site, as the browser says', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a page without an origin', { Origin: 'null' }],
  ])('from %s are refused', async (_, headers) => {
    const visitor = await signedInVisitor(test);
    for (const path of ['/sign-in', '/sign-up', '/sign-out', '/profile/delete', '/profile/api-keys']) {
      const { text } = await visitor
        .send(path, { email: visitor.email, password: PASSWORD })
        .set(headers)
        .expect(403);
      expect(text).toContain('sent from another site');
    }
    await visitor.open('/profile').expect(200);
  });

  it.each([
    ['/sign-up', { email: 'no address' }, 'email'],
    ['/sign-in', { email: 'somebody@example.com', password: 'not the password' }, 'password'],
    ['/forgotten-password', { email: '' }, 'email'],
    ['/new-password', { token: 'a', password: 'short' }, 'password'],
  ])('of strangers at %s mark and focus the field that needs a fix', async (path, form, field) => {
    const { text } = await test.caller().post(path).type('form').send(form);
    const tag = new RegExp(`<input id="${field}"[^>]*>`).exec(text)?.[0];
    expect(tag).toContain('aria-invalid="true"');
    expect(tag).toContain('autofocus');
    expect(text).toContain(`id="${field}-error"`);
    if ('email' in form && form.email !== '') expect(text).toContain(`value="${form.email}"`);
  });

  it('in another format are a 400', async () => {
    await test
      .caller()
      .post('/sign-in')
      .type('json')
      .send({ email: ['a'], password: {} })
      .expect(400);
  });

  it.each([
    ['a long form', 'application/x-www-form-urlencoded', 'x'.repeat(50_000), 413, '16 kB'],
    ['many fields', 'application/x-www-form-urlencoded', 'a=1&'.repeat(30), 400, 'more than 20 fields'],
    ['an unknown charset', 'application/x-www-form-urlencoded; charset=klingon', 'a=1', 415, 'UTF-8'],
  ])('that cannot be read are refused on the page: %s', async (_, type, form, status, message) => {
    for (const path of ['/sign-in', '/profile/delete', '/profile/api-keys']) {
      const visitor = await signedInVisitor(test);
      const answer = await visitor.agent
        .post(path)
        .set('Content-Type', type)
        .send(form)
        .expect(status)
        .expect('Content-Type', /^text\/html/);
      expect(answer.text).toContain('role="alert"');
      expect(answer.text).toContain(message);
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    }
  });

  it.each(['/sign-in', '/sign-up', '/forgotten-password'])(
    'with nested lists are a 400 of %s',
    async (path) => {
      const nested = `{"email":${'['.repeat(4000)}${']'.repeat(4000)}}`;
      const { text } = await test.caller().post(path).type('json').send(nested).expect(400);
      expect(text).toContain('Email address holds lists or objects more than 4 deep');
    },
  );
});

describe('pages', () => {
  it('load nothing from other sites, and are not cached', async () => {
    const { headers } = await test.caller().get('/sign-in').expect(200);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('link only to assets that exist', async () => {
    const { text } = await test.caller().get('/sign-in').expect(200);
    const assets = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(assets).toHaveLength(6);
    for (const asset of assets) await test.caller().get(asset).expect(200);
  });

  it('redirect to the sign-in page without a session', async () => {
    for (const path of ['/profile', '/profile/api-keys'])
      await test.caller().get(path).expect(303).expect('Location', '/sign-in');
  });

  it('show known notices only', async () => {
    await test
      .caller()
      .get('/sign-in?done=confirmed-fair')
      .expect(200)
      .expect(/is confirmed/);
    await test.caller().get('/sign-in?done=You+have+won').expect(400);
  });
});

describe('without SMTP_URL', () => {
  it('mail is written to the log, with its link', async () => {
    const app = await startAccountsApp({ SMTP_URL: '' });
    const { email, send } = visitorOf(app);
    await send('/sign-up', { email }).expect(200);
    const line = await until('the mail', () => app.log.find((text) => text.includes(`To: ${email}.`)));
    expect(line).toContain('http://bowerbird.test/confirm-email?token=');
    expect(line).not.toContain(PASSWORD);
    await app.close();
  });
});

describe('in demo mode', () => {
  it('there are no accounts and no pages of them', async () => {
    const demo = await startTestApp();
    for (const path of ['/sign-up', '/sign-in', '/profile', '/profile/api-keys', '/api/v1/usage'])
      await demo.caller().get(path).expect(404);
    await demo.caller().get('/v1/stats').set('Authorization', 'Bearer nonsense').expect(200);
    await demo.close();
  });
});

/** Signs in on the page. @returns the Cookie header of the new session */
async function sessionCookie(email: string): Promise<string> {
  const { headers } = await visitorOf(test).send('/sign-in', { email, password: PASSWORD }).expect(303);
  return String(headers['set-cookie']?.[0]).split(';')[0] ?? '';
}
