import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;

/** A new secret, as receivers keep it: `whsec_` and base64. */
export function makeSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/**
 * What is stored of a secret: nonce, tag, text. The webhook's id is sealed in, so that a secret moved to another row does not open.
 *
 * @param key the operator's, 32 bytes in base64
 */
export function sealSecret(secret: string, webhookId: string, key: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, Buffer.from(key, 'base64'), nonce).setAAD(Buffer.from(webhookId));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** @returns null when the operator's key is another one by now, or the row was changed */
export function openSecret(sealed: Buffer, webhookId: string, key: string): string | null {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, Buffer.from(key, 'base64'), nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(webhookId))
    .setAuthTag(tag);
  const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]).toString();
  } catch {
    return null;
  }
}
