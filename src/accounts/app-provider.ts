import { hashApiKey, mintApiKey } from '../access/api-key.js';
import { TOKEN_RESOURCES } from '../access/bearer.js';

/** The library issues a refresh token for it. */
const REFRESH_SCOPE = 'offline_access';
/** Scopes of an app: the tool server, and a refresh token for it. */
export const APP_SCOPES = ['read', REFRESH_SCOPE] as const;

/**
 * A token answer of the library without the scope of refresh tokens, which need none (OAuth 2.1): some apps refuse a
 * scope that they did not ask for.
 */
export function withAskedScope(answer: Record<string, unknown>): Record<string, unknown> {
  if (typeof answer.scope !== 'string') return answer;
  const scopes = answer.scope.split(' ').filter((scope) => scope !== REFRESH_SCOPE);
  return { ...answer, scope: scopes.join(' ') };
}

/** The consent page. */
export const CONSENT_PATH = '/connect';
/** The library redirects here if a request names no app to return to. */
export const APP_PROBLEM_PATH = '/connect/problem';

const CODE_SECONDS = 300;
const ACCESS_TOKEN_SECONDS = 3600;
const REFRESH_TOKEN_SECONDS = 60 * 86_400;
/** Apps refresh in parallel, or lose an answer. Within this time the same answer is given again. */
const REFRESH_REUSE_SECONDS = 30;

/**
 * better-auth's OAuth 2.1 provider for public clients that register themselves: codes with PKCE, and opaque tokens in
 * the format of our keys, stored as hashes. Its tables come from our migrations.
 */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- inferred from the options
export async function appProvider(baseUrl: string) {
  const { oauthProvider } = await import('@better-auth/oauth-provider');
  // Its init writes the resource to the database, and without one the library would stay broken; the first use writes
  // it as well. The init would also end access tokens with the session they were made in, but an app belongs to the
  // account.
  return withoutInit(
    oauthProvider({
      loginPage: '/sign-in',
      consentPage: CONSENT_PATH,
      scopes: [...APP_SCOPES],
      resources: TOKEN_RESOURCES.map((path) => `${baseUrl}/${path}`),
      enforcePerClientResources: false,
      grantTypes: ['authorization_code', 'refresh_token'],
      allowDynamicClientRegistration: true,
      allowUnauthenticatedClientRegistration: true,
      codeExpiresIn: CODE_SECONDS,
      accessTokenExpiresIn: ACCESS_TOKEN_SECONDS,
      refreshTokenExpiresIn: REFRESH_TOKEN_SECONDS,
      refreshTokenReuseInterval: REFRESH_REUSE_SECONDS,
      // Opaque tokens, so that revoking them ends them.
      disableJwtPlugin: true,
      generateOpaqueAccessToken: () => mintApiKey('oauth').text,
      generateRefreshToken: () => mintApiKey('refresh').text,
      storeTokens: { hash: (token) => Promise.resolve(hashApiKey(token).toString('hex')) },
      schema: TABLES,
    }),
  );
}

function withoutInit<Provider extends { init: unknown }>(provider: Provider): Omit<Provider, 'init'> {
  const rest: Omit<Provider, 'init'> & { init?: unknown } = { ...provider };
  delete rest.init;
  return rest;
}

const DATES = { createdAt: 'created_at', expiresAt: 'expires_at' };
const TOKEN_COLUMNS = {
  ...DATES,
  clientId: 'client_id',
  userId: 'account_id',
  sessionId: 'session_id',
  authorizationCodeId: 'authorization_code_id',
};

const TABLES = {
  oauthClient: {
    modelName: 'oauth_client',
    fields: {
      clientId: 'client_id',
      clientDiscoveryId: 'client_discovery_id',
      redirectUris: 'redirect_uris',
      tokenEndpointAuthMethod: 'token_endpoint_auth_method',
      applicationType: 'application_type',
      grantTypes: 'grant_types',
      responseTypes: 'response_types',
      clientCredentialsScopes: 'client_credentials_scopes',
      dpopBoundAccessTokens: 'dpop_bound_access_tokens',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  oauthResource: {
    modelName: 'oauth_resource',
    fields: {
      accessTokenTtl: 'access_token_ttl',
      refreshTokenTtl: 'refresh_token_ttl',
      signingAlgorithm: 'signing_algorithm',
      signingKeyId: 'signing_key_id',
      allowedScopes: 'allowed_scopes',
      customClaims: 'custom_claims',
      dpopBoundAccessTokensRequired: 'dpop_bound_access_tokens_required',
      policyVersion: 'policy_version',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  oauthConsent: {
    modelName: 'oauth_consent',
    fields: {
      clientId: 'client_id',
      userId: 'account_id',
      requestedUserInfoClaims: 'requested_user_info_claims',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  oauthRefreshToken: {
    modelName: 'oauth_refresh_token',
    fields: {
      ...TOKEN_COLUMNS,
      authTime: 'auth_time',
      rotatedAt: 'rotated_at',
      rotationReplayResponse: 'rotation_replay_response',
      rotationReplayExpiresAt: 'rotation_replay_expires_at',
    },
  },
  oauthAccessToken: {
    modelName: 'oauth_access_token',
    fields: { ...TOKEN_COLUMNS, refreshId: 'refresh_id' },
  },
};
