import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The stored form of a secret: nonce, tag, text. The id of its row is sealed in, so a secret moved to another row does
 * not open.
 *
 * @param key the operator's, 32 bytes in base64
 */
export function sealSecret(secret: string, rowId: string, key: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, Buffer.from(key, 'base64'), nonce).setAAD(Buffer.from(rowId));
  const text = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/**
 * @param keys the operator's; any of them may open it
 * @returns null when the operator's key has changed, or the row was changed
 */
export function openSecret(sealed: Buffer, rowId: string, keys: readonly string[]): string | null {
  for (const key of keys) {
    const secret = openWith(sealed, rowId, key);
    if (secret !== null) return secret;
  }
  return null;
}

/** The same secret, sealed with the first of the keys; null when it is already, or none opens it. */
export function resealSecret(sealed: Buffer, rowId: string, keys: readonly string[]): Buffer | null {
  const [key, ...others] = keys;
  if (key === undefined || openWith(sealed, rowId, key) !== null) return null;
  const secret = openSecret(sealed, rowId, others);
  return secret === null ? null : sealSecret(secret, rowId, key);
}

function openWith(sealed: Buffer, rowId: string, key: string): string | null {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv(CIPHER, Buffer.from(key, 'base64'), nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(rowId))
      .setAuthTag(tag);
    const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString();
  } catch {
    return null;
  }
}
