import { auth as firstAuth } from '@modelcontextprotocol/sdk/client/auth.js';
import {
  auth,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthTokens,
} from '@modelcontextprotocol/client';

/** An app that connects an account by the SDK's own OAuth flow, and remembers what such an app must. */
export class OAuthApp implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:33418/callback';
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'Test <app>',
    redirect_uris: [this.redirectUrl],
  };
  /** Where it sends its user. */
  authorizationUrl: URL | undefined;
  saved: OAuthTokens | undefined;
  private client: Awaited<ReturnType<NonNullable<OAuthClientProvider['clientInformation']>>>;
  private verifier = '';
  private discovery: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>;

  /**
   * @param url where the service answers
   * @param baseUrl what it calls itself
   */
  constructor(
    private readonly url: string,
    private readonly baseUrl: string,
    private readonly library: 'client 2.x' | 'sdk 1.x' = 'client 2.x',
  ) {}

  /** The network of the app, in which the service's name leads to it. */
  readonly fetch = (url: string | URL, init?: RequestInit): Promise<Response> =>
    fetch(String(url).replace(this.baseUrl, this.url), init);

  /** Begins, goes on with a code, or refreshes: whatever is next. */
  proceed(given: { authorizationCode?: string; iss?: string } = {}): Promise<string> {
    const options = { serverUrl: `${this.baseUrl}/mcp`, fetchFn: this.fetch, ...given };
    if (this.library === 'sdk 1.x') return firstAuth(this, options);
    return auth(this, options);
  }

  get clientId(): string {
    if (!this.client) throw new Error('the app has not registered');
    return this.client.client_id;
  }

  get tokens(): () => OAuthTokens | undefined {
    return () => this.saved;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.saved = tokens;
  }

  clientInformation(): typeof this.client {
    return this.client;
  }

  saveClientInformation(client: NonNullable<typeof this.client>): void {
    this.client = client;
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  saveDiscoveryState(state: NonNullable<typeof this.discovery>): void {
    this.discovery = state;
  }

  discoveryState(): typeof this.discovery {
    return this.discovery;
  }
}
