import { EventEmitter } from 'node:events';
import { Logger } from '@nestjs/common';
import type { Config } from '../config/config.js';
import type { Database } from '../db/database.js';
import { SharedCounters } from '../redis/redis.module.js';
import { NetworkRepository } from './network.repository.js';
import { NetworkRules } from './network-rules.js';
import { ConnectionShares, NetworkShares, networksOf } from './network-shares.js';

type Mode = Config['networks']['mode'];
const NO_RULES = new NetworkRules(new NetworkRepository({} as Database));
const sharesIn = (mode: Mode) =>
  new NetworkShares({ networks: { mode } } as Config, new SharedCounters(null), NO_RULES);

/** Caller number `place` of a /48, each in a /64 of its own, 256 of them in a /56. */
const callerIn = (place: number) => `ip:2001:db8:7:${place.toString(16)}::/64`;

beforeAll(() => Logger.overrideLogger(false));

describe('the networks of an address', () => {
  it.each([
    ['203.0.113.7', ['203.0.113.7/32', '203.0.113.0/24']],
    ['::ffff:203.0.113.7', ['203.0.113.7/32', '203.0.113.0/24']],
    ['2001:db8:7:1ff::9', ['2001:db8:7:1ff::/64', '2001:db8:7:100::/56', '2001:db8:7::/48']],
    ['203.0.113.7:5678', ['203.0.113.7/32', '203.0.113.0/24']],
    ['[2001:db8:7:1ff::9]:443', ['2001:db8:7:1ff::/64', '2001:db8:7:100::/56', '2001:db8:7::/48']],
    ['unknown', []],
  ])('%s', (address, names) => {
    expect(networksOf(address).map(({ name }) => name)).toEqual(names);
  });
});

describe('what networks share', () => {
  const grantedOf = (shares: NetworkShares, id: string, wanted: number) =>
    shares.take('records', id, wanted, 5).then(
      ({ granted }) => granted,
      () => 0,
    );
  /** Callers that each take as much as one may. @returns what all of them got */
  async function takeAll(shares: NetworkShares, ids: readonly string[]): Promise<number> {
    let all = 0;
    for (const id of ids) all += await grantedOf(shares, id, 5);
    return all;
  }

  it('is four times what one may in a /56, and sixteen times in a /48 and a /24', async () => {
    const shares = sharesIn('on');
    const inOne56 = Array.from({ length: 50 }, (_, place) => callerIn(place));
    expect(await takeAll(shares, inOne56)).toBe(20);
    const inAll = Array.from({ length: 400 }, (_, place) => callerIn(place * 97));
    expect(await takeAll(shares, inAll)).toBe(16 * 5 - 20);
    const ipv4 = Array.from({ length: 250 }, (_, place) => `ip:203.0.113.${place}`);
    expect(await takeAll(shares, ipv4)).toBe(16 * 5);
    expect(await takeAll(shares, ['ip:203.0.114.1', 'ip:2001:db8:8::/64'])).toBe(10);
  });

  it('is exact for callers at the same time, who get what is left', async () => {
    const shares = sharesIn('on');
    const taken = await Promise.all(
      Array.from({ length: 100 }, (_, place) => grantedOf(shares, `ip:203.0.113.${place}`, 3)),
    );
    expect(taken.reduce((sum, one) => sum + one, 0)).toBe(80);
  });

  it('comes back where it was not used', async () => {
    const shares = sharesIn('on');
    for (let round = 0; round < 100; round += 1) {
      const taken = await shares.take('records', callerIn(1), 5, 5);
      expect(taken.granted).toBe(5);
      await taken.giveBack(5);
    }
  });

  it('comes back only to the window it was taken from', async () => {
    jest.useFakeTimers();
    try {
      const shares = sharesIn('on');
      const early = await shares.take('records', callerIn(1), 5, 5);
      await jest.advanceTimersByTimeAsync(60_001);
      expect(await grantedOf(shares, callerIn(2), 5)).toBe(5);
      await early.giveBack(5);
      expect(
        await takeAll(
          shares,
          Array.from({ length: 50 }, (_, place) => callerIn(place)),
        ),
      ).toBe(15);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is not occupied by one who asks for more than one may', async () => {
    const shares = sharesIn('on');
    expect(await grantedOf(shares, callerIn(1), 50)).toBe(5);
    expect(await grantedOf(shares, callerIn(2), 5)).toBe(5);
  });

  it('refuses with the network and the time to wait', async () => {
    const shares = sharesIn('on');
    for (let page = 0; page < 480; page += 1) await shares.take('list_pages', 'ip:203.0.113.1', 1, 30);
    const refusal: unknown = await shares
      .take('list_pages', 'ip:203.0.113.2', 1, 30)
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'too_many_requests',
      message: expect.stringMatching(/203\.0\.113\.0\/24 has had its 480 list pages/),
    });
  });

  it.each(['off', 'observe'] as const)('with %s refuses nobody', async (mode) => {
    const shares = sharesIn(mode);
    const ids = Array.from({ length: 50 }, (_, place) => callerIn(place));
    expect(await takeAll(shares, ids)).toBe(250);
  });

  it('says nothing to accounts, of which an office has many', async () => {
    const shares = sharesIn('on');
    expect(await takeAll(shares, Array<string>(100).fill('account:1'))).toBe(500);
  });
});

describe('connections', () => {
  const socketFrom = (remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroyed: false });
    const destroy = () => {
      socket.destroyed = true;
      return socket.emit('close');
    };
    return Object.assign(socket, { destroy });
  };
  const openFrom = (shares: ConnectionShares, addresses: readonly string[]) => {
    const sockets = addresses.map(socketFrom);
    return { sockets, admitted: sockets.filter((socket) => shares.admit(socket)) };
  };
  const nobody = () => false;

  it('are 64 of an address, however many it tries, and free again when they close', () => {
    const shares = new ConnectionShares('on', nobody);
    const three = ['203.0.113.7', '198.51.100.7', '192.0.2.7'];
    const { admitted } = openFrom(
      shares,
      three.flatMap((address) => Array<string>(1_400).fill(address)),
    );
    expect(admitted).toHaveLength(3 * 64);
    expect(openFrom(shares, ['203.0.113.8']).admitted).toHaveLength(1);
    admitted[0]?.emit('close');
    expect(openFrom(shares, [three[0] ?? '', three[0] ?? '']).admitted).toHaveLength(1);
  });

  it('beyond 64 of an address take the place of the one that is idle for longest, and of none at work', () => {
    const shares = new ConnectionShares('on', nobody);
    const address = '203.0.113.7';
    const { sockets } = openFrom(shares, Array<string>(64).fill(address));
    const [first, second, third] = sockets;
    if (!first || !second || !third) throw new Error('there are 64');
    for (const socket of [second, first]) {
      shares.begin(socket);
      shares.end(socket);
    }
    // Two requests, of which one is answered.
    shares.begin(third);
    shares.begin(third);
    shares.end(third);
    expect(openFrom(shares, [address]).admitted).toHaveLength(1);
    expect([first, second, third].map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
    shares.begin(first);
    expect(openFrom(shares, [address]).admitted).toEqual([]);
    shares.end(first);
    expect(openFrom(shares, [address, address]).admitted).toHaveLength(1);
    expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(2);
  });

  it('are 1,024 of a /48', () => {
    const shares = new ConnectionShares('on', nobody);
    const all = Array.from({ length: 4_096 }, (_, place) => `2001:db8:7:${(place * 16).toString(16)}::1`);
    expect(openFrom(shares, all).admitted).toHaveLength(1_024);
  });

  it('of a trusted proxy are not counted, and observe closes none', () => {
    const addresses = Array<string>(100).fill('203.0.113.7');
    expect(openFrom(new ConnectionShares('on', () => true), addresses).admitted).toHaveLength(100);
    expect(openFrom(new ConnectionShares('observe', nobody), addresses).admitted).toHaveLength(100);
  });
});
