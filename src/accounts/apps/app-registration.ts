import { isObject } from '../../validation/is-object.js';

/** An app as it registers, of all that it said the part that means something here. */
export interface AppRegistration {
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
export function readRegistration(body: unknown): AppRegistration {
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
