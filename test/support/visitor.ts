import { serializeSignedCookie } from 'better-call';
import { createHash, randomBytes } from 'node:crypto';
import type { AccountLibrary } from '../../src/accounts/account-library.js';
import { PasswordCost } from '../../src/accounts/password-rules.js';
import { SessionCookies } from '../../src/accounts/session-cookies.js';
import { ACCOUNT_LIBRARY } from '../../src/accounts/accounts.service.js';
import type { Clock } from '../../src/db/database.js';
import { WITH_KEYS } from './accounts.js';
import { startTestApp, type TestApp } from './app.js';
import { type MailServer, type ReceivedMail, startMailServer } from './mail-server.js';
import { until } from './processes.js';

/** The application with accounts, and a mailbox for all its mails. */
export interface AccountsApp extends TestApp {
  readonly mail: MailServer;
}

const digestOf = (password: string) => createHash('sha256').update(password).digest('hex');

/** Passwords without the time that scrypt takes on purpose, and without the minimum time of answers. */
const CHEAP: Pick<PasswordCost, 'minAnswerMs' | 'hash' | 'verify'> = {
  minAnswerMs: 0,
  hash: (password) => Promise.resolve(digestOf(password)),
  verify: ({ hash, password }) => Promise.resolve(hash === digestOf(password)),
};

/**
 * @param clock as for startTestApp
 * @param hasRealPasswords keeps scrypt and the minimum time
 */
export async function startAccountsApp(
  environment: Record<string, string> = {},
  clock?: Pick<Clock, 'now'>,
  hasRealPasswords = false,
): Promise<AccountsApp> {
  const mail = await startMailServer();
  const settings = {
    ...WITH_KEYS,
    // A plain http address, so that a client without TLS gets its cookies back.
    BASE_URL: 'http://bowerbird.test',
    SMTP_URL: mail.url,
    MAIL_FROM: 'bowerbird@example.com',
    ...environment,
  };
  const test = await startTestApp(settings, clock);
  if (!hasRealPasswords) Object.assign(test.app.get(PasswordCost), CHEAP);
  return {
    ...test,
    mail,
    async close() {
      await test.close();
      await mail.close();
    },
  };
}

/** The same for all tests of a file; empty until they start. */
export function accountsAppOfFile(environment: Record<string, string> = {}): AccountsApp {
  const test = {} as AccountsApp;
  beforeAll(async () => {
    Object.assign(test, await startAccountsApp(environment));
  });
  afterAll(() => test.close());
  return test;
}

export const PASSWORD = 'correct horse battery';

/** A browser that keeps cookies and sends forms. */
export type Visitor = ReturnType<typeof visitorOf>;

// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- inferred from supertest
export function visitorOf(test: TestApp) {
  const agent = test.caller();
  const email = `visitor-${randomBytes(6).toString('hex')}@example.com`;
  return {
    agent,
    email,
    open: (path: string) => agent.get(path),
    send: (path: string, form: Record<string, string | string[]>) => agent.post(path).type('form').send(form),
  };
}

/** A signed-in account with PASSWORD, made with the functions behind the pages. */
export async function signedInVisitor(test: TestApp): Promise<Visitor> {
  const visitor = visitorOf(test);
  const { email } = visitor;
  const { internalAdapter } = await libraryOf(test).$context;
  const { id } = await internalAdapter.createUser(
    { name: '', email, emailVerified: true },
    { method: 'email-password' },
  );
  const credential = {
    providerId: 'credential',
    accountId: id,
    password: await test.app.get(PasswordCost).hash(PASSWORD),
  };
  await internalAdapter.linkAccount({ userId: id, ...credential });
  visitor.agent.jar.setCookie(await newSession(test, email), '127.0.0.1', '/');
  return visitor;
}

/** Makes a session without the page. @returns its Cookie header */
export async function newSession(test: TestApp, email: string): Promise<string> {
  const { authCookies, internalAdapter, secret } = await libraryOf(test).$context;
  const found = await internalAdapter.findUserByEmail(email);
  if (!found) throw new Error(`no account has the address ${email}`);
  const { token } = await internalAdapter.createSession(found.user.id);
  const cookie = await serializeSignedCookie(authCookies.sessionToken.name, token, secret);
  const [given = ''] = test.app.get(SessionCookies).forBrowser([cookie], undefined);
  return given.split(';')[0] ?? '';
}

const libraryOf = (test: TestApp) => test.app.get<AccountLibrary>(ACCOUNT_LIBRARY);

/** The mails to this address, oldest first. */
export function mailsTo({ mail }: AccountsApp, email: string): ReceivedMail[] {
  return mail.mails.filter(({ to }) => to === email);
}

/** Waits for a mail to the address with these words in it. */
export async function untilTold(test: AccountsApp, email: string, words: string): Promise<void> {
  await until(`a mail of "${words}" to ${email}`, () =>
    mailsTo(test, email).some(({ subject, text }) => `${subject}\n${text}`.includes(words)),
  );
}

/** Waits for mail number `count` to the address. @returns the token in its link */
export async function mailedToken(test: AccountsApp, email: string, count = 1): Promise<string> {
  const { text } = await until(`mail ${count} to ${email}`, () => mailsTo(test, email)[count - 1]);
  const token = /\?token=(\S+)/.exec(text)?.[1];
  if (!token) throw new Error(`no link in: ${text}`);
  return decodeURIComponent(token);
}

/** The value of a hidden field. */
export function fieldOf(html: string, name: string): string {
  const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1];
  if (value === undefined) throw new Error(`no field ${name} in: ${html}`);
  return value;
}

export interface KeyForm {
  name: string;
  kind: string;
  scopes: string[];
  expires_days: string;
  networks: string;
}

/** Makes a key as the page's form does. @returns its text, and its id as the list has it */
export async function makeKey(
  visitor: Visitor,
  form: Partial<KeyForm> = {},
): Promise<{ text: string; id: string }> {
  const { text: list } = await visitor.open('/profile/api-keys').expect(200);
  const given = { name: 'My program', kind: 'live', scopes: ['read'], expires_days: '30', ...form };
  const answer = await visitor
    .send('/profile/api-keys', { submission: fieldOf(list, 'submission'), ...given })
    .expect(201);
  const text = /value="(dau_[^"]+)"/.exec(answer.text)?.[1];
  const { text: after } = await visitor.open('/profile/api-keys').expect(200);
  const id = /api-keys\/([0-9a-f-]{36})\/rename/.exec(after)?.[1];
  if (!text || !id) throw new Error('the page of the new key shows no key');
  return { text, id };
}
