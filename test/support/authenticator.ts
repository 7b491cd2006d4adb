import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isObject } from '../../src/validation/unknown-values.js';

/** How an authenticator behaves; what is left out is as it should be. */
interface Behaviour {
  /** The page that asked. */
  readonly origin?: string;
  /** Whether it looked who its user is, and not only that somebody touches it. */
  readonly verifies?: boolean;
}

const ORIGIN = 'http://localhost';
const PRESENT = 1;
const VERIFIED = 4;
const WITH_KEY = 0x40;

/** An authenticator with one key (WebAuthn, ES256), as a browser would bring its answers. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- inferred
export function makeAuthenticator() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(20);
  const head = ({ origin = ORIGIN, verifies = true }: Behaviour, flags: number) => {
    const presence = verifies ? PRESENT | VERIFIED : PRESENT;
    return Buffer.concat([sha256(new URL(origin).hostname), Buffer.from([flags | presence, 0, 0, 0, 0])]);
  };
  const answer = (response: Record<string, unknown>) =>
    JSON.stringify({
      id: text(id),
      rawId: text(id),
      type: 'public-key',
      clientExtensionResults: {},
      response,
    });
  return {
    /** Answers the options for a new key. */
    make(options: unknown, behaviour: Behaviour = {}): string {
      const key = Buffer.concat([
        // A COSE key: EC2, ES256, P-256, x, y.
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ]);
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
      const authData = Buffer.concat([head(behaviour, WITH_KEY), credential]);
      const attestation = Buffer.concat([
        // CBOR: {"fmt": "none", "attStmt": {}, "authData": bytes}.
        Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
        Buffer.from([0x59, authData.length >> 8, authData.length & 255]),
        authData,
      ]);
      const clientDataJSON = text(clientData('webauthn.create', options, behaviour));
      return answer({ clientDataJSON, attestationObject: text(attestation), transports: ['internal'] });
    },
    /** Answers the options for signing in. */
    prove(options: unknown, behaviour: Behaviour = {}): string {
      const authData = head(behaviour, 0);
      const client = clientData('webauthn.get', options, behaviour);
      const signature = sign('sha256', Buffer.concat([authData, sha256(client)]), privateKey);
      return answer({
        clientDataJSON: text(client),
        authenticatorData: text(authData),
        signature: text(signature),
      });
    },
  };
}

function clientData(type: string, options: unknown, { origin = ORIGIN }: Behaviour): Buffer {
  if (!isObject(options)) throw new Error('options are an object');
  return Buffer.from(JSON.stringify({ type, challenge: options.challenge, origin, crossOrigin: false }));
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

const text = (bytes: Buffer) => bytes.toString('base64url');
