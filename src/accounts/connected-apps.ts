import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { ApiKeyCache } from '../access/api-key-cache.js';
import { TOKEN_RESOURCE } from '../access/bearer.js';
import { callerIdOfAddress } from '../access/caller.js';
import { Config } from '../config/config.js';
import { Database } from '../db/database.js';
import { networkOf } from '../observe/audit/network.js';
import { isObject } from '../validation/unknown-values.js';
import { AccountProblem, SignInRequired } from './account-problem.js';
import { ACCOUNT_LIBRARY } from './accounts.service.js';
import { type App, AppRepository, type ConnectedApp } from './connected-apps.repository.js';
import { AttemptLimit } from './attempt-limit.js';
import type { AccountLibrary } from './account-library.js';
import { APP_PROBLEM_PATH, APP_SCOPES } from './app-provider.js';
import { SessionCookies } from './session-cookies.js';

/** An app as it registers, of all that it said the part that means something here. */
interface AppRegistration {
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
}

/** What is wrong with a registration, as RFC 7591 (3.2.2) names it. */
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
 * Reads what an app says of itself. Members that are not known are passed over, as RFC 7591 wants it.
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
    `A redirect URI is https, or http on localhost, 127.0.0.1 or [::1], without credentials and fragment, of ${MAX_REDIRECT_LENGTH} characters at most.`,
  );
}

function isTrusted(uri: string): boolean {
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '' || uri.includes('#')) return false;
  const isLoopback = LOOPBACK.includes(hostname);
  return protocol === 'https:' ? !isLoopback : protocol === 'http:' && isLoopback;
}

// It is shown to whoever is asked to connect the app.
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

/** Apps that registered and that no account has connected: more than ever are at it at a time, and no load for a table. */
const MAX_UNCONNECTED = 5_000;

/** Somebody is asked whether the app may use the account. */
interface AppRequest {
  readonly name: string;
  /** Where the answer goes. */
  readonly redirectUri: string;
}

/** Apps that use the tool server for an account (OAuth 2.1): the library does it, this decides what it is asked. */
@Injectable()
export class ConnectedApps {
  private readonly resource: string;

  constructor(
    @Inject(ACCOUNT_LIBRARY) private readonly library: AccountLibrary,
    private readonly config: Config,
    private readonly database: Database,
    private readonly apps: AppRepository,
    private readonly attempts: AttemptLimit,
    private readonly keyCache: ApiKeyCache,
    private readonly cookies: SessionCookies,
  ) {
    this.resource = `${config.links.baseUrl}/${TOKEN_RESOURCE}`;
  }

  /** @throws {RegistrationRefused | AccountProblem} */
  async register(body: unknown, address: string): Promise<Response> {
    const app = readRegistration(body);
    await this.attempts.count('registerApp', callerIdOfAddress(address));
    await this.attempts.count('registerAppFromNetwork', networkOf(address) ?? '');
    await this.apps.makeRoom(MAX_UNCONNECTED);
    // What it did not say is decided here, and it is told so (RFC 7591, 3.2.1): apps on people's machines keep no secrets.
    const metadata = {
      ...app,
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    };
    return this.hand('oauth2/register', { type: 'application/json', body: JSON.stringify(metadata) });
  }

  /** A code or a refresh token for tokens, or the end of one. Of the request only its form is looked at. */
  async exchange(path: 'oauth2/token' | 'oauth2/revoke', form: string): Promise<Response> {
    const answer = await this.hand(path, { type: 'application/x-www-form-urlencoded', body: form });
    // What was taken away is refused here from the next request on: also what was issued for a code that came a second time.
    if (path === 'oauth2/revoke' || !answer.ok) await this.keyCache.invalidate();
    return answer;
  }

  /**
   * An app sends somebody here.
   *
   * @returns where they go next: to be asked, or back to the app
   * @throws {SignInRequired}
   */
  async authorize(query: string, headers: IncomingHttpHeaders): Promise<string> {
    const asked = this.complete(new URLSearchParams(query));
    await this.findApp(asked);
    const answer = await this.hand(`oauth2/authorize?${asked.toString()}`, { cookie: headers.cookie });
    const location = answer.headers.get('location');
    if (location === null) throw new AccountProblem(400, NOT_UNDERSTOOD);
    if (location.startsWith(APP_PROBLEM_PATH)) throw problemAt(location);
    if (location.startsWith('/sign-in?')) throw new SignInRequired();
    return location;
  }

  /** @throws {AccountProblem} where the request is not one that an app has made and this service has sent on */
  async findRequest(query: URLSearchParams): Promise<AppRequest> {
    const app = await this.findApp(query);
    const redirectUri = query.get('redirect_uri') ?? '';
    if (!isRegistered(redirectUri, app.redirectUris)) throw new AccountProblem(400, NOT_UNDERSTOOD);
    return { name: app.name, redirectUri };
  }

  /** @returns where the app is told of it */
  async decide(request: string, accept: boolean, headers: IncomingHttpHeaders): Promise<string> {
    const body = JSON.stringify({ accept, oauth_query: request });
    const { cookie } = headers;
    const answer = await this.hand('oauth2/consent', { type: 'application/json', body, cookie });
    const told: unknown = answer.ok ? await answer.json() : null;
    if (!isObject(told) || typeof told.url !== 'string') throw new AccountProblem(400, TOO_LATE);
    return told.url;
  }

  list(accountId: string): Promise<ConnectedApp[]> {
    return this.apps.listConnected(accountId);
  }

  async disconnect(accountId: string, clientId: string): Promise<void> {
    if (!(await this.apps.disconnect(accountId, clientId)))
      throw new AccountProblem(404, 'There is no such app.');
    await this.keyCache.invalidate();
  }

  /** @throws {AccountProblem} where it never registered, or was forgotten */
  private async findApp(query: URLSearchParams): Promise<App> {
    const clientId = query.get('client_id') ?? '';
    if (clientId === '') throw new AccountProblem(400, NOT_UNDERSTOOD);
    const app = await this.apps.findApp(clientId);
    if (!app) throw new AccountProblem(400, FORGOTTEN);
    return app;
  }

  // Every token is for the tool server, and an app that does not ask to be kept is kept all the same: it can be disconnected. People are
  // asked every time: whoever runs on their machine can call itself by the id of an app that they allowed once (RFC 8252, 8.6).
  private complete(query: URLSearchParams): URLSearchParams {
    const scopes = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
    query.set('scope', [...new Set([...scopes, ...APP_SCOPES])].join(' '));
    if (!query.has('resource')) query.set('resource', this.resource);
    query.set('prompt', 'consent');
    // Nobody is asked to sign in again who is signed in.
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
  'The app that sent you here did not ask as it must. Start again there, and tell its makers if it goes on like this.';
const FORGOTTEN =
  'The app that sent you here is not registered, or no longer: one that no account connects within an hour is forgotten. Start again in the app, which then registers anew. If you come back to this page, take the server out of the app and add it again.';
const TOO_LATE =
  'This was asked too long ago, or somebody else has signed in meanwhile. Start again at the app.';

function problemAt(location: string): AccountProblem {
  const told = new URLSearchParams(location.slice(location.indexOf('?') + 1));
  return new AccountProblem(
    400,
    `${NOT_UNDERSTOOD} (${told.get('error') ?? ''}: ${told.get('error_description') ?? ''})`,
  );
}

// Apps on somebody's machine take the port that is free (RFC 8252, 7.3).
function isRegistered(uri: string, registered: readonly string[]): boolean {
  const withoutPort = (text: string) => text.replace(/^(http:\/\/[^/?#]*?):\d+(?=[/?#]|$)/, '$1');
  return registered.some(
    (known) => known === uri || (uri.startsWith('http:') && withoutPort(known) === withoutPort(uri)),
  );
}
