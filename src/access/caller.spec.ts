import type { IncomingMessage } from 'node:http';
import express, { type Request } from 'express';
import { AddressDigest, addressBehindProxies, callerIdOfAddress, trustOf } from './caller.js';

describe('callerIdOfAddress', () => {
  it.each([
    ['203.0.113.7', 'ip:203.0.113.7'],
    ['::ffff:203.0.113.7', 'ip:203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', 'ip:2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', 'ip:2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', 'ip:2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'ip:fe80::/64'],
    ['::1', 'ip:::/64'],
    // As some proxies write them into X-Forwarded-For.
    ['203.0.113.7:5678', 'ip:203.0.113.7'],
    ['[2001:db8:1:2::1]:443', 'ip:2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]', 'ip:2001:db8:1:2::/64'],
    ['[::ffff:203.0.113.7]:80', 'ip:203.0.113.7'],
    ['2001:db8::1:443', 'ip:2001:db8::/64'],
    ['203.0.113.7:567890', 'ip:unknown'],
    ['203.0.113.7:', 'ip:unknown'],
    ['[2001:db8::1', 'ip:unknown'],
    [`[${':'.repeat(100_000)}]`, 'ip:unknown'],
    ['nonsense', 'ip:unknown'],
    [undefined, 'ip:unknown'],
  ])('%s counts as %s', (address, id) => {
    expect(callerIdOfAddress(address)).toBe(id);
  });
});

describe('the address behind proxies', () => {
  const headers = [
    ...[undefined, '', ',', ' , ', '198.51.100.1', ' 198.51.100.1 , 10.0.0.2 ', '10.1.1.1,10.2.2.2'],
    ...[
      '198.51.100.1,, 10.0.0.5 , ',
      ',198.51.100.1',
      '2001:db8::1, ::1',
      'nonsense, 127.0.0.1',
      'a b, 10.0.0.1',
    ],
  ];
  const sockets = ['127.0.0.1', '203.0.113.9', '::ffff:10.0.0.9', undefined];

  it.each([[false], [1], [2], ['loopback, 10.0.0.0/8'], [true]])(
    'is that of Express, with TRUST_PROXY=%s',
    (trust) => {
      const app = express().set('trust proxy', trust);
      const isTrusted = trustOf({ httpAdapter: { getInstance: () => app } as never });
      for (const remoteAddress of sockets)
        for (const forwarded of headers) {
          const sent = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } };
          const { ip } = Object.setPrototypeOf({ ...sent }, app.request) as Request;
          expect([forwarded, addressBehindProxies(sent as unknown as IncomingMessage, isTrusted)]).toEqual([
            forwarded,
            ip,
          ]);
        }
    },
  );
});

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
