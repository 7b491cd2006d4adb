import { AddressDigest } from './address-digest.js';

const NOON = Date.parse('2026-11-22T12:00:00Z');
const DAY_MS = 86_400_000;

describe('what stands for an address in the log', () => {
  const digest = new AddressDigest('a secret');

  it('is the same all day and on every instance', () => {
    expect(digest.of('203.0.113.7', NOON)).toMatch(/^[0-9a-f]{16}$/);
    expect(new AddressDigest('a secret').of('203.0.113.7', NOON + DAY_MS / 3)).toBe(
      digest.of('203.0.113.7', NOON),
    );
  });

  it('is another the next day, for another address, and with another secret', () => {
    const known = digest.of('203.0.113.7', NOON);
    expect(digest.of('203.0.113.7', NOON + DAY_MS)).not.toBe(known);
    expect(digest.of('203.0.113.8', NOON)).not.toBe(known);
    expect(new AddressDigest('another').of('203.0.113.7', NOON)).not.toBe(known);
    expect(new AddressDigest().of('203.0.113.7', NOON)).not.toBe(new AddressDigest().of('203.0.113.7', NOON));
  });

  it('counts an IPv6 network as one address', () => {
    expect(digest.of('2001:db8::1', NOON)).toBe(digest.of('2001:db8::2', NOON));
  });
});
