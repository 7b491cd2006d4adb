import { createHash, createHmac, randomBytes } from 'node:crypto';
import { BoundedMap } from '../validation/caches.js';
import { isMadeWithAny } from '../validation/proofs.js';

const SESSION = /^(?:__Secure-)?bowerbird\.session_token$/;
/** A value and its HMAC-SHA-256 in base64, as the accounts library signs cookies. */
const SIGNED = /^(.+)\.([A-Za-z0-9+/]{43}=)$/;
const TOKEN_BYTES = 24;
/** New sessions whose cookie is not sent yet: one for each request in progress. */
const MAX_NEW = 1_000;

/**
 * Translates session cookies between browsers and the accounts library. The browser has the token; the library and its
 * table have only its hash, so the table is useless to a thief. The library's own cookies would contain what it stores.
 * Cookies signed with a previous secret are signed again with the current one on their way in.
 */
export class SessionCookies {
  /** New tokens by hash. */
  private readonly made = new BoundedMap<string, string>(MAX_NEW);

  /** @param secrets the current secret and the previous ones, which are accepted too */
  constructor(
    private readonly secret: string,
    private readonly secrets: readonly string[],
  ) {}

  /** For a new session of the library. @returns the hash of a new token */
  makeToken(): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const hash = hashOf(token);
    this.made.set(hash, token);
    return hash;
  }

  /** The Cookie header in the form for the library. Session cookies with a wrong signature are left out. */
  forLibrary(header: string): string {
    const pairs = header.split(';').flatMap((pair) => {
      const [name, value] = split(pair);
      const signed = this.open(value);
      if (signed === null) return SESSION.test(name) ? [] : [`${name}=${value}`];
      return [`${name}=${this.sign(SESSION.test(name) ? hashOf(signed) : signed)}`];
    });
    return pairs.join('; ');
  }

  /** Binds the text to a session: others do not have this proof. */
  bind(text: string, sessionId: string): string {
    return boundTo(sessionId, text, this.secret).toString('base64url');
  }

  isBound(text: string, proof: string, sessionId: string): boolean {
    return isMadeWithAny(Buffer.from(proof, 'base64url'), this.secrets, (secret) =>
      boundTo(sessionId, text, secret),
    );
  }

  /** The value of a library cookie: of several, the first that is signed. @param name without the common prefix */
  read(name: string, header = ''): string | null {
    for (const pair of header.split(';')) {
      const [cookie, value] = split(pair);
      const text = namesOf(name).includes(cookie) ? this.open(value) : null;
      if (text !== null) return text;
    }
    return null;
  }

  /** A Cookie header for the library in which this is the only cookie. */
  alone(name: string, value: string): string {
    return namesOf(name)
      .map((cookie) => `${cookie}=${this.sign(value)}`)
      .join('; ');
  }

  /** The library's Set-Cookie headers in the form for the browser. @param header the request's Cookie header */
  forBrowser(cookies: readonly string[], header: string | undefined): string[] {
    return cookies.map((cookie) => {
      const end = cookie.indexOf(';');
      const [name, value] = split(end < 0 ? cookie : cookie.slice(0, end));
      if (!SESSION.test(name) || value === '') return cookie;
      const hash = this.open(value);
      const token = hash === null ? null : this.tokenOf(hash, header);
      if (token === null) throw new Error('the token of a session is unknown');
      return `${name}=${this.sign(token)}${end < 0 ? '' : cookie.slice(end)}`;
    });
  }

  private tokenOf(hash: string, header = ''): string | null {
    const made = this.made.get(hash);
    this.made.delete(hash);
    if (made !== undefined) return made;
    // An existing session.
    for (const pair of header.split(';')) {
      const [name, value] = split(pair);
      const token = SESSION.test(name) ? this.open(value) : null;
      if (token !== null && hashOf(token) === hash) return token;
    }
    return null;
  }

  private open(value: string): string | null {
    const [, text, signature] = SIGNED.exec(decoded(value)) ?? [];
    if (text === undefined || signature === undefined) return null;
    const shown = Buffer.from(signature, 'base64');
    return isMadeWithAny(shown, this.secrets, (secret) => proofOf(text, secret)) ? text : null;
  }

  private sign(text: string): string {
    return encodeURIComponent(`${text}.${proofOf(text, this.secret).toString('base64')}`);
  }
}

const namesOf = (name: string) => [`bowerbird.${name}`, `__Secure-bowerbird.${name}`];

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

const proofOf = (text: string, secret: string): Buffer => createHmac('sha256', secret).update(text).digest();

const boundTo = (sessionId: string, text: string, secret: string): Buffer =>
  createHmac('sha256', secret).update(`bound to a session\n${sessionId}\n${text}`).digest();

function split(pair: string): [name: string, value: string] {
  const at = pair.indexOf('=');
  return at < 0 ? ['', pair.trim()] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
