import { randomBytes } from 'node:crypto';
import { openSecret, resealSecret, sealSecret } from '../../validation/sealing.js';
import { makeSecret, openSecrets } from './webhook-message.js';

const KEY = randomBytes(32).toString('base64');

describe('a secret of a webhook', () => {
  it('is 32 random bytes, as receivers keep them', () => {
    const [one, other] = [makeSecret(), makeSecret()];
    expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(other).not.toBe(one);
  });

  it('opens with the operator’s key for the webhook it was sealed for', () => {
    const secret = makeSecret();
    expect(openSecret(sealSecret(secret, 'webhook-1', KEY), 'webhook-1', [KEY])).toBe(secret);
  });

  it('is sealed otherwise each time, and not to be read in what is stored', () => {
    const secret = makeSecret();
    const [one, other] = [sealSecret(secret, 'webhook-1', KEY), sealSecret(secret, 'webhook-1', KEY)];
    expect(one.equals(other)).toBe(false);
    expect(one.includes(secret.slice(6, 20))).toBe(false);
    // Nonce, tag and the text itself.
    expect(one).toHaveLength(12 + 16 + secret.length);
  });

  it('opens neither in another row nor with another key', () => {
    const sealed = sealSecret(makeSecret(), 'webhook-1', KEY);
    expect(openSecret(sealed, 'webhook-2', [KEY])).toBeNull();
    expect(openSecret(sealed, 'webhook-1', [randomBytes(32).toString('base64')])).toBeNull();
  });

  it('opens with either of two keys, and is sealed anew with the first where it was not', () => {
    const [secret, next] = [makeSecret(), randomBytes(32).toString('base64')];
    const sealed = sealSecret(secret, 'webhook-1', KEY);
    for (const keys of [
      [KEY, next],
      [next, KEY],
    ])
      expect(openSecret(sealed, 'webhook-1', keys)).toBe(secret);
    const again = resealSecret(sealed, 'webhook-1', [next, KEY]);
    expect(again && openSecret(again, 'webhook-1', [next])).toBe(secret);
    expect(resealSecret(sealed, 'webhook-1', [KEY, next])).toBeNull();
    expect(resealSecret(sealed, 'webhook-1', [KEY, KEY])).toBeNull();
    expect(resealSecret(sealed, 'webhook-1', [next])).toBeNull();
  });

  it('signs beside those before it that open still, and not at all where it does not open itself', () => {
    const lost = randomBytes(32).toString('base64');
    const [now, before, long] = [makeSecret(), makeSecret(), makeSecret()];
    const sealed = (secret: string, key = KEY) => sealSecret(secret, 'webhook-1', key);
    const open = (...secrets: Buffer[]) => openSecrets(secrets, 'webhook-1', [KEY]);
    expect(open(sealed(now), sealed(before, lost), sealed(long))).toEqual([now, long]);
    expect(open(sealed(now))).toEqual([now]);
    expect(open(sealed(now, lost), sealed(before))).toBeNull();
    expect(open()).toBeNull();
  });

  it('does not open when it was cut off, wherever', () => {
    const sealed = sealSecret(makeSecret(), 'webhook-1', KEY);
    for (let length = 0; length < sealed.length; length += 1)
      expect(openSecret(sealed.subarray(0, length), 'webhook-1', [KEY])).toBeNull();
  });

  it('does not open when any byte of it was changed', () => {
    const sealed = sealSecret(makeSecret(), 'webhook-1', KEY);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(openSecret(changed, 'webhook-1', [KEY])).toBeNull();
    }
  });
});
