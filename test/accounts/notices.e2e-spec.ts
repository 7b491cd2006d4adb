import { addKey } from '../support/accounts.js';
import { until } from '../support/processes.js';
import {
  accountsAppOfFile,
  mailsTo,
  newSession,
  PASSWORD,
  signedInVisitor,
  untilTold,
  type Visitor,
  visitorOf,
} from '../support/visitor.js';

const test = accountsAppOfFile();

const accountOf = async ({ email }: Visitor) => {
  const [row] = await test.database.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [email]);
  return row?.id ?? '';
};

/** A mail of the account as one line. */
const mailOf = async (email: string, words: string) => {
  const { subject, text } = await until(`a mail of ${words}`, () =>
    mailsTo(test, email).find((mail) => mail.subject.includes(words)),
  );
  return `${subject} ${text.replace(/\s+/g, ' ')}`;
};

/** A passkey and an app, as the accounts library stores them. */
async function addPasskeyAndApp(accountId: string): Promise<void> {
  await test.database.query(
    `INSERT INTO account_passkey (name, public_key, account_id, credential_id, counter, device_type, backed_up)
     VALUES ('Old phone', 'x', $1, 'credential-of-the-tests', 0, 'singleDevice', false)`,
    [accountId],
  );
  await test.database.query(
    `INSERT INTO oauth_client (client_id, name, redirect_uris, token_endpoint_auth_method, grant_types, response_types,
                               scopes)
     VALUES ('an-app', 'Desk app', '[]', 'none', '[]', '[]', '[]')`,
  );
  await test.database.query(
    `INSERT INTO oauth_consent (client_id, account_id, scopes) VALUES ('an-app', $1, '[]')`,
    [accountId],
  );
}

describe('the mail about a new password', () => {
  it('lists what else has access: after a change the apps too, after a reset what is left', async () => {
    const visitor = await signedInVisitor(test);
    const accountId = await accountOf(visitor);
    await addKey(test.database, { accountId, name: 'Nightly job' });
    await addPasskeyAndApp(accountId);
    const changed = { current_password: PASSWORD, new_password: 'a whole new horse' };
    await visitor.send('/profile/password', changed).expect(303);
    const first = await mailOf(visitor.email, 'password was changed');
    for (const words of ['Passkeys: Old phone', 'API keys: Nightly job', 'Apps: Desk app'])
      expect(first).toContain(words);

    await visitor.send('/forgotten-password', { email: visitor.email }).expect(200);
    const link = await mailOf(visitor.email, 'A new password');
    const token = decodeURIComponent(/\?token=(\S+)/.exec(link)?.[1] ?? '');
    await visitorOf(test).send('/new-password', { token, password: 'yet another horse' }).expect(303);
    await untilTold(test, visitor.email, 'Apps: none');
    const mails = mailsTo(test, visitor.email).filter(({ text }) => text.includes('Apps: none'));
    const second = mails[0]?.text.replace(/\s+/g, ' ') ?? '';
    expect(second).toMatch(/Passkeys: Old phone .*API keys: Nightly job/);
    expect(second).toContain('These apps were disconnected: Desk app.');
    expect(first).not.toContain('disconnected');
    const { text: activity } = await visitorOf(test)
      .agent.get('/profile/activity')
      .set('Cookie', await newSession(test, visitor.email))
      .expect(200);
    expect(activity).toMatch(/disconnected[^]*Desk app/);
  });
});

describe('a sign-in', () => {
  const signIn = (visitor: Visitor, address: string) =>
    test
      .caller()
      .post('/sign-in')
      .set('X-Forwarded-For', address)
      .type('form')
      .send({ email: visitor.email, password: PASSWORD })
      .expect(303);
  const notices = ({ email }: Visitor) =>
    mailsTo(test, email).filter(({ subject }) => subject.includes('new network'));

  it('from a new network is mailed, the first one ever and one from a known network are not', async () => {
    const visitor = await signedInVisitor(test);
    await signIn(visitor, '203.0.113.5');
    await signIn(visitor, '203.0.113.99');
    await signIn(visitor, '2001:db8:1:2::3');
    await signIn(visitor, '2001:db8:1:ffff::3');
    await untilTold(test, visitor.email, 'the network 2001:db8:1::/48, for the first time');
    await signIn(visitor, '198.51.100.1');
    await untilTold(test, visitor.email, 'the network 198.51.100.0/24, for the first time');
    expect(notices(visitor)).toHaveLength(2);
  });
});
