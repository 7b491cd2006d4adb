import type { LookupAddress, LookupOptions } from 'node:dns';
import { receiverLookup } from '../receiver-address.js';

const NOT_THERE = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });

/** What a connection to the name is told, where DNS has these addresses; null: it says that there are none. */
function lookUp(
  four: readonly string[] | null,
  six: readonly string[] | null,
  options: LookupOptions = { all: true },
  { hostname = 'hooks.example.com', allowsLoopback = false } = {},
): Promise<string | LookupAddress[]> {
  const answer = (list: readonly string[] | null) => () =>
    list ? Promise.resolve([...list]) : Promise.reject(NOT_THERE);
  const lookup = receiverLookup(allowsLoopback, { resolve4: answer(four), resolve6: answer(six) });
  return new Promise((resolve, reject) => {
    lookup(hostname, options, (error, address, family) => {
      if (error) reject(error);
      else resolve(typeof address === 'string' ? `${address} (IPv${family})` : address);
    });
  });
}

const FOUR = { address: '203.0.114.7', family: 4 };
const SIX = { address: '2606:4700::1111', family: 6 };

describe('the addresses of a receiver', () => {
  it('are all that DNS has', async () => {
    expect(await lookUp([FOUR.address], [SIX.address])).toEqual([FOUR, SIX]);
  });

  it.each([
    [[FOUR.address], null, [FOUR]],
    [null, [SIX.address], [SIX]],
    [[FOUR.address], [], [FOUR]],
  ])('are those of one kind where it has no others (%j, %j)', async (four, six, found) => {
    expect(await lookUp(four, six)).toEqual(found);
  });

  it.each([
    [4, [FOUR]],
    [6, [SIX]],
    [0, [FOUR, SIX]],
  ])('are those of the family that is asked for (%i)', async (family, found) => {
    expect(await lookUp([FOUR.address], [SIX.address], { all: true, family })).toEqual(found);
  });

  it('are the first alone where one is asked for', async () => {
    expect(await lookUp([FOUR.address, '203.0.114.8'], [SIX.address], {})).toBe('203.0.114.7 (IPv4)');
    expect(await lookUp(null, [SIX.address], {})).toBe('2606:4700::1111 (IPv6)');
  });

  it('are refused, all of them, when any is not public', async () => {
    await expect(lookUp([FOUR.address, '10.0.0.1'], [])).rejects.toThrow(
      'hooks.example.com leads to 10.0.0.1, which is not a public address',
    );
    await expect(lookUp([FOUR.address], ['::1'], {})).rejects.toThrow('hooks.example.com leads to ::1');
  });

  it('may be those of this machine where that is allowed', async () => {
    const allowed = { allowsLoopback: true };
    expect(await lookUp(['127.0.0.1'], [], {}, allowed)).toBe('127.0.0.1 (IPv4)');
    await expect(lookUp(['10.0.0.1'], [], {}, allowed)).rejects.toThrow('not a public address');
  });

  it('are none when the name does not exist, or has none of that family', async () => {
    await expect(lookUp(null, null)).rejects.toBe(NOT_THERE);
    await expect(lookUp([], [])).rejects.toThrow('hooks.example.com has no such address');
    await expect(lookUp([FOUR.address], [], { family: 6 })).rejects.toThrow('has no such address');
  });
});

describe('localhost', () => {
  it('is this machine, and DNS is not asked', async () => {
    const hostname = 'hooks.localhost';
    await expect(lookUp(null, null, {}, { hostname, allowsLoopback: true })).resolves.toBe(
      '127.0.0.1 (IPv4)',
    );
    await expect(lookUp([FOUR.address], null, {}, { hostname })).rejects.toThrow('leads to 127.0.0.1');
  });
});
