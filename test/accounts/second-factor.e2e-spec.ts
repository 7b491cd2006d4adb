import { gzipSync } from 'node:zlib';
import decodeQR from 'qr/decode.js';
import { WITH_KEYS } from '../support/accounts.js';
import { codeOf, nextCodeOf } from '../support/authenticator-app.js';
import {
  accountsAppOfFile,
  newSession,
  PASSWORD,
  signedInVisitor,
  startAccountsApp,
  untilTold,
  type Visitor,
  visitorOf,
} from '../support/visitor.js';

const test = accountsAppOfFile();

/** An account with a factor. @returns the code that has set it up, too */
async function withFactor(): Promise<{ visitor: Visitor; key: string; used: string; recovery: string[] }> {
  const visitor = await signedInVisitor(test);
  await visitor.send('/profile/second-factor', { password: 'not the password' }).expect(401);
  const { text } = await visitor.send('/profile/second-factor', { password: PASSWORD }).expect(201);
  const key = /secret=([A-Z2-7]+)/.exec(text)?.[1] ?? '';
  const recovery = [...text.matchAll(/<li><code>([A-Za-z0-9]{5}-[A-Za-z0-9]{5})<\/code>/g)].map(
    ([, code = '']) => code,
  );
  expect([key.length > 30, recovery.length]).toEqual([true, 10]);
  await visitor.send('/profile/second-factor/confirm', { code: '000000' }).expect(401);
  const used = codeOf(key);
  await visitor.send('/profile/second-factor/confirm', { code: used }).expect(303);
  return { visitor, key, used, recovery };
}

const password = ({ email }: Visitor) => ({ email, password: PASSWORD });

/** Reads the QR code of a picture drawn in squares of one unit. */
function readPicture(svg: string): string {
  const width = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]);
  const scale = 4;
  const side = width * scale;
  const data = new Uint8Array(side * side * 4).fill(255);
  let [x, y] = [0, 0];
  for (const [, move, across, down] of svg.matchAll(/([Mm])(-?\d+)[ ,]?(-?\d+)h1v1/g)) {
    [x, y] = move === 'M' ? [Number(across), Number(down)] : [x + Number(across), y + Number(down)];
    for (let dot = 0; dot < scale * scale; dot += 1) {
      const at = ((y * scale + Math.floor(dot / scale)) * side + x * scale + (dot % scale)) * 4;
      data.fill(0, at, at + 3);
    }
  }
  return decodeQR({ width: side, height: side, data });
}

describe('the page that sets one up', () => {
  it('shows a QR code of its link, and the key as text', async () => {
    const visitor = await signedInVisitor(test);
    const { text } = await visitor.send('/profile/second-factor', { password: PASSWORD }).expect(201);
    const link = /href="(otpauth:[^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const svg =
      /<svg class="qr" role="img" aria-label="QR code of the key below".*?<\/svg>/s.exec(text)?.[0] ?? '';
    expect(readPicture(svg)).toBe(link);
    const key = new URL(link).searchParams.get('secret') ?? '';
    expect(text).toContain(`<code>${key.match(/.{1,4}/g)?.join(' ')}</code>`);
    expect([/ style=|<style/.test(svg), gzipSync(text).length < 6_000]).toEqual([false, true]);
  });
});

describe('an account with a second factor', () => {
  it('opens with password and code, and with neither alone', async () => {
    const { visitor, key } = await withFactor();
    await visitor.open('/profile').expect(200);
    const thief = visitorOf(test);
    await thief.send('/sign-in/code', { code: codeOf(key) }).expect(401);
    const { headers } = await thief.send('/sign-in', password(visitor)).expect(303);
    expect(headers.location).toBe('/sign-in/code');
    await thief.open('/profile').expect(303);
    await thief.send('/sign-in/code', { code: '000000' }).expect(401);
    const owner = visitorOf(test);
    await owner.send('/sign-in', password(visitor)).expect(303);
    await owner.send('/sign-in/code', { code: nextCodeOf(key) }).expect(303);
    await owner.open('/profile').expect(200);
    await untilTold(test, visitor.email, 'How you sign in to Bowerbird was changed');
    const { text } = await owner.open('/profile/activity').expect(200);
    expect(text).toContain('A second factor was set up');
    expect(text).toContain('Signed in: with a second factor');
  });

  it('opens with each recovery code once', async () => {
    const { visitor, recovery } = await withFactor();
    const [code = ''] = recovery;
    const owner = visitorOf(test);
    await owner.send('/sign-in', password(visitor)).expect(303);
    await owner.send('/sign-in/code', { code }).expect(303);
    await owner.open('/profile').expect(200);
    const thief = visitorOf(test);
    await thief.send('/sign-in', password(visitor)).expect(303);
    await thief.send('/sign-in/code', { code }).expect(401);
    await thief.open('/profile').expect(303);
  });

  it('accepts five wrong codes for one password, then starts again', async () => {
    const { visitor, key } = await withFactor();
    const thief = visitorOf(test);
    await thief.send('/sign-in', password(visitor)).expect(303);
    for (let count = 0; count < 5; count += 1)
      await thief.send('/sign-in/code', { code: '000000' }).expect(401);
    const { text } = await thief.send('/sign-in/code', { code: nextCodeOf(key) }).expect(401);
    expect(text).toContain('Start again with your password');
  });

  it('accepts each code of the app once, also at the same time', async () => {
    const { visitor, key, used } = await withFactor();
    const signIn = async (code: string) => {
      const someone = visitorOf(test);
      await someone.send('/sign-in', password(visitor)).expect(303);
      const { status } = await someone.send('/sign-in/code', { code });
      expect((await someone.open('/profile')).status).toBe(status === 303 ? 200 : 303);
      return status;
    };
    expect(await signIn(used)).toBe(401);
    const code = nextCodeOf(key);
    const countSessions = async () => {
      const [row] = await test.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM account_session JOIN account ON account.id = account_id WHERE email = $1`,
        [visitor.email],
      );
      return row?.count ?? NaN;
    };
    const before = await countSessions();
    expect((await Promise.all([signIn(code), signIn(code)])).sort()).toEqual([303, 401]);
    expect(await signIn(code)).toBe(401);
    expect(await countSessions()).toBe(before + 1);
  });

  it('accepts a code once whatever other cookies come with it', async () => {
    const { visitor, key } = await withFactor();
    const begin = async () => {
      const { headers } = await visitorOf(test).send('/sign-in', password(visitor)).expect(303);
      const cookies = headers['set-cookie'] as unknown as string[];
      return cookies.map((cookie) => cookie.split(';')[0]).find((cookie) => cookie?.includes('two_factor'));
    };
    const prove = (cookie: string, code: string) =>
      test.caller().post('/sign-in/code').type('form').set('Cookie', cookie).send({ code });
    const code = nextCodeOf(key);
    await prove(`${await begin()}`, code).expect(303);
    const others = [
      '__Secure-bowerbird.two_factor=x',
      'bowerbird.two_factor=x',
      await newSession(test, visitor.email),
    ];
    for (const other of others)
      for (const cookie of [`${other}; ${await begin()}`, `${await begin()}; ${other}`])
        await prove(cookie, code).expect(401);
    await prove(await newSession(test, visitor.email), code).expect(401);
    const rows = await test.database.query<{ failed: number }>(
      `SELECT count(*)::int AS failed FROM audit_log WHERE action = 'account.sign-in-failed'
         AND subject = (SELECT 'account:' || id FROM account WHERE email = $1)`,
      [visitor.email],
    );
    expect(rows).toEqual([{ failed: 6 }]);
  });

  it('asks for no code after it is removed, which takes password and code', async () => {
    const { visitor, key } = await withFactor();
    const remove = (form: Record<string, string>) => visitor.send('/profile/second-factor/remove', form);
    await remove({ password: PASSWORD }).expect(400);
    await remove({ password: PASSWORD, code: '000000' }).expect(401);
    const code = nextCodeOf(key);
    // A wrong password does not use up the code.
    await remove({ password: 'not the password', code }).expect(401);
    await remove({ password: PASSWORD, code }).expect(303);
    const owner = visitorOf(test);
    const { headers } = await owner.send('/sign-in', password(visitor)).expect(303);
    expect(headers.location).toBe('/profile/api-keys');
  });

  it('keeps it while the secret is replaced, and stores its key encrypted', async () => {
    const { visitor, key, recovery } = await withFactor();
    const rows = await test.database.query<{ row: string }>(
      'SELECT to_jsonb(f)::text AS row FROM account_second_factor f',
    );
    expect(rows.filter(({ row }) => row.includes(key))).toEqual([]);
    const next = {
      AUTH_SECRET: 'another-secret-of-the-tests-0123456789abcdef',
      AUTH_SECRET_ALSO: WITH_KEYS.AUTH_SECRET,
    };
    const other = await startAccountsApp({ DATABASE_URL: test.databaseUrl, ...next });
    const owner = visitorOf(other);
    await owner.send('/sign-in', password(visitor)).expect(303);
    await owner.send('/sign-in/code', { code: recovery[1] ?? '' }).expect(303);
    await other.close();
    // The previous secret is gone: that start encrypted its factors again.
    const last = await startAccountsApp({ DATABASE_URL: test.databaseUrl, AUTH_SECRET: next.AUTH_SECRET });
    for (const code of [nextCodeOf(key), recovery[0] ?? '']) {
      const again = visitorOf(last);
      await again.send('/sign-in', password(visitor)).expect(303);
      await again.send('/sign-in/code', { code }).expect(303);
    }
    await last.close();
    expect(other.log.join('')).toMatch(/[1-9]\d* second factors are now encrypted/);
  });
});
