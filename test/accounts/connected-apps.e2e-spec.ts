import { createHash } from 'node:crypto';
import { AttemptLimit } from '../../src/accounts/attempt-limit.js';
import { AppPurge } from '../../src/accounts/account-purge.js';
import { addKey } from '../support/accounts.js';
import { holdMinute } from '../support/clock.js';
import { addDomain } from '../support/domains.js';
import { OAuthApp } from '../support/oauth-app.js';
import { until } from '../support/processes.js';
import {
  type AccountsApp,
  fieldOf,
  mailsTo,
  newSession,
  PASSWORD,
  signedInVisitor,
  startAccountsApp,
  untilTold,
  type Visitor,
  visitorOf,
} from '../support/visitor.js';

const BASE_URL = 'https://bowerbird.example';
const RESOURCE = `${BASE_URL}/mcp`;
const METADATA = `${BASE_URL}/.well-known/oauth-protected-resource/mcp`;
let test: AccountsApp;
let visitor: Visitor;
beforeAll(async () => {
  test = await startAccountsApp({ BASE_URL });
  holdMinute(test);
  visitor = await signedInVisitor(test);
  for (let count = 0; count < 3; count += 1) await addDomain(test.database);
});
afterAll(() => test.close());

const pathOf = (url: URL | undefined) => `${url?.pathname}${url?.search}`;

/** The decision of a visitor whom the app has redirected. @returns the address of the answer */
async function decide(path: string, decision: 'allow' | 'refuse'): Promise<URL> {
  const sent = await visitor.open(path).expect(303);
  const page = await visitor.open(String(sent.headers.location)).expect(200);
  const request = fieldOf(page.text, 'request').replaceAll('&amp;', '&');
  const { headers } = await visitor.send('/connect', { request, decision }).expect(303);
  return new URL(String(headers.location));
}

async function connect(library: 'client 2.x' | 'sdk 1.x' = 'client 2.x'): Promise<OAuthApp> {
  const app = new OAuthApp(test.url, BASE_URL, library);
  expect(await app.proceed()).toBe('REDIRECT');
  const { searchParams } = await decide(pathOf(app.authorizationUrl), 'allow');
  const [authorizationCode, iss] = [String(searchParams.get('code')), String(searchParams.get('iss'))];
  expect(await app.proceed({ authorizationCode, iss })).toBe('AUTHORIZED');
  return app;
}

const call = (token: string | undefined, path = '/mcp', name = 'usage') =>
  test
    .caller()
    .post(path)
    .set({
      Accept: 'application/json, text/event-stream',
      ...(token && { Authorization: `Bearer ${token}` }),
    })
    .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } });
const refused = (app: OAuthApp) => call(app.saved?.access_token).expect(401);
const register = (body: object) => test.caller().post('/oauth2/register').send(body);
const exchange = (path: 'token' | 'revoke', form: Record<string, string>) =>
  test.caller().post(`/oauth2/${path}`).type('form').send(form);
const refreshForm = (app: OAuthApp) => ({
  grant_type: 'refresh_token',
  client_id: app.clientId,
  refresh_token: app.saved?.refresh_token ?? '',
});

describe.each(['client 2.x', 'sdk 1.x'] as const)('an app on %s', (library) => {
  it('registers, is allowed, calls a tool, refreshes, revokes, and is refused', async () => {
    const app = await connect(library);
    const first = app.saved;
    expect(first).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'read' });
    const answer = await call(first?.access_token).expect(200);
    expect(answer.text).toContain('\\"tier\\":\\"member\\"');
    expect(answer.text).toContain('\\"scopes\\":[\\"read\\"]');

    expect(await app.proceed()).toBe('AUTHORIZED');
    expect(app.saved?.access_token).not.toBe(first?.access_token);
    expect(app.saved).toMatchObject({ scope: 'read' });
    await call(app.saved?.access_token).expect(200);

    const { saved, clientId } = app;
    await exchange('revoke', { client_id: clientId, token: saved?.refresh_token ?? '' }).expect(200);
    const refusal = await refused(app);
    expect(refusal.headers['www-authenticate']).toBe(
      `Bearer realm="bowerbird", error="invalid_token", resource_metadata="${METADATA}"`,
    );
    expect((await exchange('token', refreshForm(app)).expect(400)).body.error).toBe('invalid_grant');
  });
});

describe('an account with an app', () => {
  it('shows when it was connected and disconnected, and gets a mail', async () => {
    const app = await connect();
    await untilTold(test, visitor.email, 'The app "Test <app>" can use the tool server for your account.');
    await visitor.send(`/profile/apps/${app.clientId}/disconnect`, {}).expect(200);
    const { text } = await visitor.open('/profile/activity').expect(200);
    expect(text).toContain('An app was connected: Test &lt;app&gt;');
    expect(text).toContain('An app was disconnected: Test &lt;app&gt;');
    await untilTold(test, visitor.email, 'The app "Test <app>" can no longer use your account.');
  });

  it('loses all of them with a reset of the password, also codes that are not exchanged and consents that are not given yet', async () => {
    const owner = visitor;
    visitor = await signedInVisitor(test);
    const [app, pending] = [await connect(), new OAuthApp(test.url, BASE_URL)];
    await pending.proceed();
    const { searchParams } = await decide(pathOf(pending.authorizationUrl), 'allow');
    const asked = new OAuthApp(test.url, BASE_URL);
    await asked.proceed();
    const consent = String((await visitor.open(pathOf(asked.authorizationUrl)).expect(303)).headers.location);
    await visitor.send('/forgotten-password', { email: visitor.email }).expect(200);
    // After the mail about the app.
    const mail = await until('the link', () =>
      mailsTo(test, visitor.email).find(({ text }) => text.includes('/new-password?token=')),
    );
    const token = decodeURIComponent(/\?token=(\S+)/.exec(mail.text)?.[1] ?? '');
    await visitorOf(test).send('/new-password', { token, password: 'a brand new password' }).expect(303);
    await refused(app);
    await exchange('token', refreshForm(app)).expect(400);
    const authorizationCode = String(searchParams.get('code'));
    await expect(
      pending.proceed({ authorizationCode, iss: String(searchParams.get('iss')) }),
    ).rejects.toThrow();
    const signedIn = visitorOf(test);
    signedIn.agent.jar.setCookie(await newSession(test, visitor.email), '127.0.0.1', '/');
    await signedIn.open(consent).expect(400);
    visitor = owner;
  });
});

describe('the addresses for tokens', () => {
  it('are in the challenge to a request without a token', async () => {
    const { headers } = await call(undefined, '/mcp/account').expect(401);
    expect(headers['www-authenticate']).toBe(
      `Bearer realm="bowerbird", resource_metadata="${METADATA}/account"`,
    );
    await call(undefined, '/mcp', 'dataset_stats').expect(200);
  });

  it.each([
    ['', RESOURCE],
    ['/mcp', RESOURCE],
    ['/mcp/account', `${RESOURCE}/account`],
  ])('are at /.well-known/oauth-protected-resource%s, for the resource asked for', async (path, resource) => {
    const { body } = await test.caller().get(`/.well-known/oauth-protected-resource${path}`).expect(200);
    expect(body).toMatchObject({
      resource,
      authorization_servers: [BASE_URL],
      scopes_supported: ['read', 'offline_access'],
    });
  });

  it('include only routes that exist', async () => {
    const { body } = await test.caller().get('/.well-known/oauth-authorization-server').expect(200);
    expect(body).toMatchObject({ issuer: BASE_URL, code_challenge_methods_supported: ['S256'] });
    const addresses = Object.entries<string>(body).filter(([name]) => name.endsWith('_endpoint'));
    expect(addresses).toHaveLength(4);
    for (const [name, address] of addresses) {
      const path = address.slice(BASE_URL.length);
      const asked = name === 'authorization_endpoint' ? test.caller().get(path) : test.caller().post(path);
      expect((await asked).status).toBe(400);
    }
  });
});

describe('a token', () => {
  it('is for the tool server alone, and spends what the keys of the account spend', async () => {
    const app = await connect();
    const bearer = `Bearer ${app.saved?.access_token}`;
    await call(app.saved?.access_token, '/mcp/account').expect(200);
    for (const path of ['/v1/stats', '/api/v1/usage', '/api/v1/webhooks']) {
      const { headers } = await test.caller().get(path).set('Authorization', bearer);
      expect(headers['www-authenticate'] ?? 'none').not.toContain('resource_metadata');
    }
    await test.caller().get('/v1/stats').set('Authorization', bearer).expect(401);

    const [row] = await test.database.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
      visitor.email,
    ]);
    const key = await addKey(test.database, { accountId: String(row?.id) });
    const left = async () =>
      (await test.caller().get('/api/v1/usage').set('Authorization', key.bearer)).body.quota
        .remaining as number;
    const before = await left();
    await call(app.saved?.access_token, '/mcp', 'suggest_domains').expect(200);
    expect(await left()).toBe(before - 3);
  });

  it('stands nowhere in the database', async () => {
    const app = await connect();
    await app.proceed();
    const rows = await test.database.query(
      `SELECT token, rotation_replay_response FROM oauth_refresh_token
       UNION ALL SELECT token, NULL FROM oauth_access_token`,
    );
    expect(rows.length).toBeGreaterThan(3);
    expect(JSON.stringify(rows)).not.toContain('dau_');
    const hash = createHash('sha256')
      .update(app.saved?.access_token ?? '')
      .digest('hex');
    expect(JSON.stringify(rows)).toContain(hash);
    expect(test.log.join('')).not.toContain(String(app.saved?.access_token));
  });

  it('of another address of the service is none', async () => {
    const app = await connect();
    await test.database.query(
      `UPDATE oauth_access_token SET resources = '["https://elsewhere.example/mcp"]'`,
    );
    await refused(app);
  });

  it('ends when the app is disconnected, and so do refresh tokens and codes', async () => {
    const app = await connect();
    const { text } = await visitor.open('/profile/apps').expect(200);
    expect(text).toContain('Test &lt;app&gt;');
    const other = await signedInVisitor(test);
    await other.send(`/profile/apps/${app.clientId}/disconnect`, {}).expect(404);
    await call(app.saved?.access_token).expect(200);

    await visitor.send(`/profile/apps/${app.clientId}/disconnect`, {}).expect(200);
    await refused(app);
    await exchange('token', refreshForm(app)).expect(400);
  });

  it('that is used a second time for a refresh ends all of the app, but for half a minute', async () => {
    const app = await connect();
    const form = refreshForm(app);
    const first = await exchange('token', form).expect(200);
    expect((await exchange('token', form).expect(200)).body.access_token).toBe(first.body.access_token);
    await test.database.query(
      `UPDATE oauth_refresh_token SET rotation_replay_expires_at = now() - interval '1 second'`,
    );
    await exchange('token', form).expect(400);
    await call(first.body.access_token).expect(401);
  });
});

describe('an app is registered', () => {
  it.each([
    ['no body', {}, 'invalid_redirect_uri'],
    ['plain http', { redirect_uris: ['http://app.example/callback'] }, 'invalid_redirect_uri'],
    [
      'a host that only looks like this one',
      { redirect_uris: ['http://localhost.evil.example/'] },
      'invalid_redirect_uri',
    ],
    ['a scheme of its own', { redirect_uris: ['app.example:/callback'] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: ['https://app.example/#'] }, 'invalid_redirect_uri'],
    ['credentials', { redirect_uris: ['https://me:you@app.example/'] }, 'invalid_redirect_uri'],
    ['too many', { redirect_uris: Array(11).fill('https://app.example/') }, 'invalid_redirect_uri'],
    ['too long a one', { redirect_uris: [`https://app.example/${'a'.repeat(500)}`] }, 'invalid_redirect_uri'],
    [
      'too long a name',
      { redirect_uris: ['https://app.example/'], client_name: 'a'.repeat(101) },
      'invalid_client_metadata',
    ],
    [
      'a name to deceive',
      { redirect_uris: ['https://app.example/'], client_name: 'a\u202eb' },
      'invalid_client_metadata',
    ],
  ])('not with %s', async (_, body, error) => {
    expect((await register(body).expect(400)).body.error).toBe(error);
  });

  it('as a public one, whatever it asks for, and what means nothing here is passed over', async () => {
    const { body } = await register({
      redirect_uris: ['https://app.example/callback', 'http://localhost/callback'],
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['client_credentials'],
      software_id: 'x',
      skip_consent: true,
    }).expect(201);
    expect(body).toMatchObject({
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    });
    expect(body).not.toHaveProperty('client_secret');
    expect(body).not.toHaveProperty('software_id');
  });

  it('60 times an hour from one place', async () => {
    const attempts = test.app.get(AttemptLimit, { strict: false });
    const address = '198.51.100.7';
    for (let tried = 0; tried < 60; tried += 1) await attempts.isWithin('registerApp', `ip:${address}`);
    const body = { redirect_uris: ['https://app.example/callback'] };
    const refusal = await register(body).set('X-Forwarded-For', address).expect(429);
    expect(refusal.body.error).toBe('temporarily_unavailable');
    // Longer than a minute: it is not the flood limit that says so.
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(60);
  });

  it('240 times an hour from one network, whose callers are many', async () => {
    const attempts = test.app.get(AttemptLimit, { strict: false });
    for (let tried = 0; tried < 240; tried += 1)
      await attempts.countFrom('registerApp', `2001:db8:77:${((tried % 4) * 256 + tried).toString(16)}::1`);
    const body = { redirect_uris: ['https://app.example/callback'] };
    for (const [address, status] of [
      ['2001:db8:77:1::1', 429],
      ['2001:db8:77:ffff::1', 429],
      ['2001:db8:78::1', 201],
    ] as const)
      await register(body).set('X-Forwarded-For', address).expect(status);
  });

  it('also where 5,000 wait that no account has connected: the oldest of them yields', async () => {
    await test.database.query(
      `INSERT INTO oauth_client (client_id, name, redirect_uris, token_endpoint_auth_method, grant_types,
                                 response_types, scopes, created_at)
       SELECT 'filler-' || n, 'Filler', '[]', 'none', '[]', '[]', '[]',
              now() - interval '30 minutes' - n * interval '1 second'
         FROM generate_series(1, 5000) n`,
    );
    const { body } = await register({ redirect_uris: ['https://app.example/callback'] }).expect(201);
    const left = await test.database.query<{ id: string }>(
      `SELECT client_id AS id FROM oauth_client WHERE client_id LIKE 'filler-%' OR client_id = $1`,
      [body.client_id],
    );
    const ids = left.map(({ id }) => id);
    expect([ids.includes(body.client_id), ids.includes('filler-5000'), ids.includes('filler-1')]).toEqual([
      ...[true, false, true],
    ]);
    expect(ids.length).toBeLessThanOrEqual(5_000);
    await test.database.query(`DELETE FROM oauth_client WHERE client_id LIKE 'filler-%'`);
  });

  it('and expires if no account connects it', async () => {
    const { body } = await register({ redirect_uris: ['https://app.example/'] }).expect(201);
    const count = async () =>
      (await test.database.query('SELECT FROM oauth_client WHERE client_id = $1', [body.client_id])).length;
    const purge = test.app.get(AppPurge, { strict: false });
    await purge.purge(new Date());
    expect(await count()).toBe(1);
    await purge.purge(new Date(Date.now() + 3_700_000));
    expect(await count()).toBe(0);
    const query = new URLSearchParams({ client_id: body.client_id, redirect_uri: 'https://app.example/' });
    const { text } = await test.caller().get(`/oauth2/authorize?${query.toString()}`).expect(400);
    expect(text).toContain('Start again in the app, which then registers again.');
  });
});

describe('an app sends somebody', () => {
  const verifier = 'v'.repeat(64);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const redirectUri = 'https://app.example/callback';
  let clientId: string;
  beforeAll(async () => {
    clientId = (await register({ redirect_uris: [redirectUri], client_name: 'Web app' }).expect(201)).body
      .client_id;
  });
  const pathWith = (changes: Record<string, string | undefined> = {}) => {
    const query = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      state: 'abc',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...changes,
    };
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, value);
    return `/oauth2/authorize?${given.toString()}`;
  };
  const tokenForm = (code: string, changes: Record<string, string> = {}) => ({
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...changes,
  });

  it('who has no session yet: they sign in and go on', async () => {
    const stranger = test.caller();
    const { headers } = await stranger.get(pathWith()).expect(303).expect('Location', '/sign-in');
    const [cookie = ''] = headers['set-cookie'] ?? [];
    await stranger
      .post('/sign-in')
      .set('Cookie', String(cookie.split(';')[0]))
      .type('form')
      .send({ email: visitor.email, password: PASSWORD })
      .expect(303)
      .expect('Location', pathWith());
  });

  it('who is told what it would be given, and where the answer goes', async () => {
    const { headers } = await visitor.open(pathWith()).expect(303);
    const page = await visitor.open(String(headers.location)).expect(200);
    for (const words of ['Web app', 'app.example', visitor.email]) expect(page.text).toContain(words);
    expect(page.headers['content-security-policy']).toContain("form-action 'self' https://app.example;");
    await test.caller().get(String(headers.location)).expect(303);
  });

  it('who refuses', async () => {
    const told = await decide(pathWith(), 'refuse');
    expect(told.origin + told.pathname).toBe(redirectUri);
    expect(Object.fromEntries(told.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'abc',
      iss: BASE_URL,
    });
  });

  it('and is given a code that works once, with the verifier that is its own', async () => {
    const told = await decide(pathWith(), 'allow');
    expect(told.searchParams.get('state')).toBe('abc');
    const code = String(told.searchParams.get('code'));
    const tokens = await exchange('token', tokenForm(code)).expect(200);
    await call(tokens.body.access_token).expect(200);
    expect((await exchange('token', tokenForm(code)).expect(400)).body.error).toBe('invalid_grant');
    // Whoever used it first may have stolen it.
    await call(tokens.body.access_token).expect(401);

    const next = String((await decide(pathWith(), 'allow')).searchParams.get('code'));
    const wrong = await exchange('token', tokenForm(next, { code_verifier: 'w'.repeat(64) }));
    expect([400, 401]).toContain(wrong.status);
    await exchange('token', tokenForm(next)).expect(400);
  });

  it('and the tools for accounts alone are a resource that a token may be for', async () => {
    const resource = `${RESOURCE}/account`;
    const code = String((await decide(pathWith({ resource }), 'allow')).searchParams.get('code'));
    const { body } = await exchange('token', tokenForm(code, { resource })).expect(200);
    await call(body.access_token, '/mcp/account').expect(200);
  });

  it('with the scope read: the answer has that scope and no other, and nothing to refresh it with', async () => {
    const code = String((await decide(pathWith({ scope: 'read' }), 'allow')).searchParams.get('code'));
    const { body } = await exchange('token', tokenForm(code)).expect(200);
    expect(body.scope).toBe('read');
    expect(body).not.toHaveProperty('refresh_token');
  });

  it.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['another resource', { resource: 'https://elsewhere.example/' }, 'invalid_target'],
    ['a scope that there is none of', { scope: 'admin' }, 'invalid_scope'],
  ])(
    'with %s: we show it, and nobody is sent to an address that they have not approved',
    async (_, changes, error) => {
      const { headers, text } = await visitor.open(pathWith(changes)).expect(400);
      expect(headers).not.toHaveProperty('location');
      expect(text).toContain(error);
    },
  );

  it('whose decision belongs to the session that began the request', async () => {
    const begun = String((await visitor.open(pathWith()).expect(303)).headers.location);
    const page = await visitor.open(begun).expect(200);
    const request = fieldOf(page.text, 'request').replaceAll('&amp;', '&');
    const elsewhere = visitorOf(test);
    elsewhere.agent.jar.setCookie(await newSession(test, visitor.email), '127.0.0.1', '/');
    for (const other of [await signedInVisitor(test), elsewhere]) {
      await other.open(begun).expect(400);
      await other.send('/connect', { request, decision: 'allow' }).expect(400);
    }
    // Also without what binds it.
    const bare = request.replace(/&begun=.*/, '');
    await elsewhere.send('/connect', { request: bare, decision: 'allow' }).expect(400);
    await visitor.send('/connect', { request, decision: 'allow' }).expect(303);
  });

  it.each([
    ['an address that it has not registered', { redirect_uri: 'https://evil.example/' }],
    ['no name', { client_id: 'nobody' }],
  ])('with %s: nobody is sent there', async (_, changes) => {
    const { headers, text } = await visitor.open(pathWith(changes)).expect(400);
    expect(headers).not.toHaveProperty('location');
    expect(text).toMatch(/Start again (?:there|in the app)/);
  });

  it('whose decision is on what they saw, and was made here', async () => {
    const sent = await visitor.open(pathWith()).expect(303);
    const page = await visitor.open(String(sent.headers.location)).expect(200);
    const request = fieldOf(page.text, 'request').replaceAll('&amp;', '&');
    const changed = request.replace('state=abc', 'state=xyz');
    await visitor.send('/connect', { request: changed, decision: 'allow' }).expect(400);
    await visitor
      .send('/connect', { request, decision: 'allow' })
      .set('Sec-Fetch-Site', 'cross-site')
      .expect(403);
    await visitor.send('/connect', { request, decision: 'allow' }).expect(303);
  });
});
