import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { ApiKeyCache } from '../access/api-key-cache.js';
import { DEFAULT_TOKEN_RESOURCE } from '../access/bearer.js';
import { Config } from '../config/config.js';
import { Database } from '../db/database.js';
import { isObject } from '../validation/unknown-values.js';
import { AccountProblem, SignInRequired } from './account-problem.js';
import { AccountActivity } from './account-activity.js';
import { AccountMails } from './account-mails.js';
import { type Account, ACCOUNT_LIBRARY, AccountsService } from './accounts.service.js';
import { type App, AppRepository, type ConnectedApp } from './connected-apps.repository.js';
import { AttemptLimit } from './attempt-limit.js';
import type { AccountLibrary } from './account-library.js';
import { APP_SCOPES, CONSENT_PATH, withAskedScope } from './app-provider.js';
import { SessionCookies } from './session-cookies.js';

/** The parts of a registration that we use. */
interface AppRegistration {
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
}

/** Why a registration is refused, in the terms of RFC 7591 (3.2.2). */
export class RegistrationRefused extends Error {
  constructor(
    readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata',
    message: string,
  ) {
    super(message);
  }
}

const MAX_REDIRECTS = 10;
const MAX_REDIRECT_LENGTH = 500;
const MAX_NAME_LENGTH = 100;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Reads a registration. Unknown members are ignored (RFC 7591).
 *
 * @throws {RegistrationRefused}
 */
function readRegistration(body: unknown): AppRegistration {
  if (!isObject(body)) throw new RegistrationRefused('invalid_client_metadata', 'Send one JSON object.');
  const { redirect_uris: uris, client_name: name } = body;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECTS)
    throw new RegistrationRefused('invalid_redirect_uri', `Send 1 to ${MAX_REDIRECTS} redirect_uris.`);
  return { client_name: nameOf(name), redirect_uris: uris.map(redirectOf) };
}

function redirectOf(uri: unknown): string {
  if (typeof uri === 'string' && uri.length <= MAX_REDIRECT_LENGTH && URL.canParse(uri) && isTrusted(uri))
    return uri;
  throw new RegistrationRefused(
    'invalid_redirect_uri',
    'A redirect URI is https, or http on localhost, 127.0.0.1 or [::1], without credentials and fragment, of ' +
      `${MAX_REDIRECT_LENGTH} characters at most.`,
  );
}

function isTrusted(uri: string): boolean {
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '' || uri.includes('#')) return false;
  const isLoopback = LOOPBACK.includes(hostname);
  return protocol === 'https:' ? !isLoopback : protocol === 'http:' && isLoopback;
}

// The consent page shows it.
function nameOf(name: unknown): string {
  if (name === undefined) return 'An app without a name';
  const hasOddCharacters = typeof name !== 'string' || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name);
  if (hasOddCharacters || name.trim() === '' || name.length > MAX_NAME_LENGTH)
    throw new RegistrationRefused(
      'invalid_client_metadata',
      `A client_name has 1 to ${MAX_NAME_LENGTH} characters, none of them invisible.`,
    );
  return name.trim();
}

/** Registered apps without an account: more than ever connect at the same time, and few enough for the table. */
const MAX_UNCONNECTED = 5_000;

/** A request for consent. */
interface AppRequest {
  readonly name: string;
  /** Where the browser goes after the decision. */
  readonly redirectUri: string;
}

/** Apps that use the tool server for an account (OAuth 2.1). Checks requests before the library handles them. */
@Injectable()
export class ConnectedApps {
  private readonly resource: string;

  constructor(
    @Inject(ACCOUNT_LIBRARY) private readonly library: AccountLibrary,
    private readonly accounts: AccountsService,
    private readonly config: Config,
    private readonly database: Database,
    private readonly apps: AppRepository,
    private readonly attempts: AttemptLimit,
    private readonly keyCache: ApiKeyCache,
    private readonly cookies: SessionCookies,
    private readonly activity: AccountActivity,
    private readonly mails: AccountMails,
  ) {
    this.resource = `${config.links.baseUrl}/${DEFAULT_TOKEN_RESOURCE}`;
  }

  /** @throws {RegistrationRefused | AccountProblem} */
  async register(body: unknown, address: string): Promise<Response> {
    const app = readRegistration(body);
    await this.attempts.countFrom('registerApp', address);
    await this.apps.makeRoom(MAX_UNCONNECTED);
    // Apps on users' machines keep no secrets. The answer shows these values to the app (RFC 7591, 3.2.1).
    const metadata = {
      ...app,
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    };
    return this.hand('oauth2/register', { type: 'application/json', body: JSON.stringify(metadata) });
  }

  /** Exchanges a code or refresh token, or revokes a token. Only the form of the request is used. */
  async exchange(path: 'oauth2/token' | 'oauth2/revoke', form: string): Promise<Response> {
    const answer = await this.hand(path, { type: 'application/x-www-form-urlencoded', body: form });
    // Revoked tokens fail from the next request on, and so do those of a code that was used twice.
    if (path === 'oauth2/revoke' || !answer.ok) await this.keyCache.invalidate();
    const given: unknown = path === 'oauth2/token' && answer.ok ? await answer.json() : null;
    return isObject(given) ? Response.json(withAskedScope(given)) : answer;
  }

  /**
   * An app has redirected a browser here. Faults are shown here, not sent to the app: anyone can register any address,
   * and a redirect to it before the account holder has decided would lend it our name.
   *
   * @returns the address of the consent page, for this session
   * @throws {SignInRequired | AccountProblem}
   */
  async authorize(query: string, headers: IncomingHttpHeaders): Promise<string> {
    const asked = this.complete(new URLSearchParams(query));
    await this.findApp(asked);
    const answer = await this.hand(`oauth2/authorize?${asked.toString()}`, { cookie: headers.cookie });
    const location = answer.headers.get('location');
    if (location === null) throw new AccountProblem(400, NOT_UNDERSTOOD);
    if (location.startsWith('/sign-in?')) throw new SignInRequired();
    const request = location.startsWith(`${CONSENT_PATH}?`) ? location.slice(CONSENT_PATH.length + 1) : null;
    if (request === null) throw problemAt(location);
    const session = await this.accounts.findSession(headers);
    if (!session) throw new SignInRequired();
    return `${CONSENT_PATH}?${request}&${BEGUN}=${this.cookies.bind(request, session.account.sessionId)}`;
  }

  /** @throws {AccountProblem} if it does not fit the app's registration, or was begun in another session */
  async findRequest({ sessionId }: Account, request: string): Promise<AppRequest> {
    const query = new URLSearchParams(this.unbind(request, sessionId));
    const app = await this.findApp(query);
    const redirectUri = query.get('redirect_uri') ?? '';
    if (!isRegistered(redirectUri, app.redirectUris)) throw new AccountProblem(400, NOT_UNDERSTOOD);
    return { name: app.name, redirectUri };
  }

  /** @returns the app's address with the decision */
  async decide(
    { id, sessionId, email, address }: Account,
    request: string,
    accept: boolean,
    headers: IncomingHttpHeaders,
  ): Promise<string> {
    const body = JSON.stringify({ accept, oauth_query: this.unbind(request, sessionId) });
    const { cookie } = headers;
    const answer = await this.hand('oauth2/consent', { type: 'application/json', body, cookie });
    const decided: unknown = answer.ok ? await answer.json() : null;
    if (!isObject(decided) || typeof decided.url !== 'string') throw new AccountProblem(400, TOO_LATE);
    if (accept) {
      const { name } = await this.findApp(new URLSearchParams(request));
      await this.activity.recordBestEffort(id, 'app.connect', address ?? '', name);
      this.mails.appConnected(email, name);
    }
    return decided.url;
  }

  list(accountId: string): Promise<ConnectedApp[]> {
    return this.apps.listConnected(accountId);
  }

  async disconnect({ id, email, address }: Account, clientId: string): Promise<void> {
    const name = await this.apps.disconnect(id, clientId);
    if (name === null) throw new AccountProblem(404, 'There is no such app.');
    await this.keyCache.invalidate();
    await this.activity.recordBestEffort(id, 'app.disconnect', address ?? '', name);
    this.mails.appDisconnected(email, name);
  }

  /** The request as the library knows it. @throws {AccountProblem} if this session did not begin it */
  private unbind(text: string, sessionId: string): string {
    const [, request = '', proof = ''] = BOUND.exec(text) ?? [];
    if (!this.cookies.isBound(request, proof, sessionId)) throw new AccountProblem(400, TOO_LATE);
    return request;
  }

  /** @throws {AccountProblem} if it never registered, or its registration expired */
  private async findApp(query: URLSearchParams): Promise<App> {
    const clientId = query.get('client_id') ?? '';
    if (clientId === '') throw new AccountProblem(400, NOT_UNDERSTOOD);
    const app = await this.apps.findApp(clientId);
    if (!app) throw new AccountProblem(400, FORGOTTEN);
    return app;
  }

  // Every token is for the tool server. An app that names its scopes gets a refresh token when it asks for one.
  // Consent is asked for every time: another program on the machine can use the id of an app that was allowed once
  // (RFC 8252, 8.6).
  private complete(query: URLSearchParams): URLSearchParams {
    const scopes = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
    const asked = scopes.length === 0 ? APP_SCOPES : ['read', ...scopes];
    query.set('scope', [...new Set(asked)].join(' '));
    if (!query.has('resource')) query.set('resource', this.resource);
    query.set('prompt', 'consent');
    // A session is enough, of any age.
    query.delete('max_age');
    return query;
  }

  private hand(path: string, { type, body, cookie }: Handed): Promise<Response> {
    const { baseUrl } = this.config.links;
    const headers = new Headers({ origin: new URL(baseUrl).origin });
    if (type !== undefined) headers.set('content-type', type);
    if (cookie !== undefined) headers.set('cookie', this.cookies.forLibrary(cookie));
    const method = body === undefined ? 'GET' : 'POST';
    const request = new Request(`${baseUrl}/${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    return this.database.guard(() => this.library.handler(request));
  }
}

interface Handed {
  readonly type?: string;
  readonly body?: string;
  readonly cookie?: string | undefined;
}

const NOT_UNDERSTOOD =
  'The app that sent you here made an invalid request. Start again in the app. If it fails again, tell its makers.';
const FORGOTTEN =
  'The app that sent you here is not registered. A registration expires if no account connects the app' +
  ' within an hour. Start again in the app, which then registers again. If you return to this page, remove the server' +
  ' from the app and add it again.';
const TOO_LATE = 'This request has expired, or was begun in another session. Start again in the app.';

/** The parameter that binds a request to the session that began it, always the last one. */
const BEGUN = 'begun';
const BOUND = new RegExp(`^(.*)&${BEGUN}=([\\w-]{43})$`);

function problemAt(location: string): AccountProblem {
  const problem = new URLSearchParams(location.slice(location.indexOf('?') + 1));
  return new AccountProblem(
    400,
    `${NOT_UNDERSTOOD} (${problem.get('error') ?? ''}: ${problem.get('error_description') ?? ''})`,
  );
}

// An app on the user's machine listens on any free port (RFC 8252, 7.3).
function isRegistered(uri: string, registered: readonly string[]): boolean {
  const withoutPort = (text: string) => text.replace(/^(http:\/\/[^/?#]*?):\d+(?=[/?#]|$)/, '$1');
  return registered.some(
    (known) => known === uri || (uri.startsWith('http:') && withoutPort(known) === withoutPort(uri)),
  );
}
