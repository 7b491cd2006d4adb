import { Logger } from '@nestjs/common';
import { NetworkRepository } from '../../src/access/network.repository.js';
import { NetworkRules } from '../../src/access/network-rules.js';
import { LIMITS, limitsOf, timesOf } from '../../src/access/limits.js';
import { type NetworkLimit, NetworkShares } from '../../src/access/network-shares.js';
import type { Config } from '../../src/config/config.js';
import type { Database } from '../../src/db/database.js';
import { type RedisConnection, SharedCounters } from '../../src/redis/redis.module.js';
import { connectRedis, describeWithRedis, startRedis, type TestRedis } from '../support/redis.js';

/** What one address may. */
const EACH = 5;
/** Networks of their own for each limit and test, with what all their callers may together. */
const NETWORKS = [
  ['/56', 4, (network: number, caller: number) => `ip:2001:db8:${hex(network)}:${hex(caller % 256)}::/64`],
  ['/48', 16, (network: number, caller: number) => `ip:2001:db8:${hex(network)}:${hex(caller * 97)}::/64`],
  ['/24', 16, (network: number, caller: number) => `ip:198.18.${network % 256}.${caller % 256}`],
] as const;
const CASES = limitsOf('shares').flatMap((kind) =>
  NETWORKS.map(([bits, share, callerOf]) => ({ kind, bits, share: timesOf(kind, share), callerOf })),
);
const NO_RULES = new NetworkRules(new NetworkRepository({} as Database));

let networks = 0;
let opened: RedisConnection[] = [];
const sharesIn = (redis: RedisConnection | null) =>
  new NetworkShares({ networks: { mode: 'on' } } as Config, new SharedCounters(redis), NO_RULES);

beforeAll(() => Logger.overrideLogger(false));

describe('the shares of networks, in the memory of one instance', () => {
  const instance = sharesIn(null);
  shares(() => [instance]);
});

describeWithRedis('the shares of networks, in the one Redis of two instances', () => {
  let redis: TestRedis;
  let instances: NetworkShares[];
  beforeAll(async () => {
    redis = await startRedis();
    opened = [await connectRedis(redis), await connectRedis(redis)];
    instances = opened.map(sharesIn);
  });
  afterAll(async () => {
    for (const connection of opened) connection.close();
    await redis.close();
  });
  shares(() => instances);

  it('are counted by each instance while it is away', async () => {
    await redis.kill();
    const [bits, share, callerOf] = NETWORKS[1];
    expect(bits).toBe('/48');
    networks += 1;
    for (const instance of instances) {
      let granted = 0;
      for (let caller = 0; caller < 40; caller += 1)
        granted += await take([instance], 'records', callerOf(networks, caller), 0);
      expect(granted).toBe(share * EACH);
    }
  });
});

/** The same of each limit, wherever it is counted. */
function shares(instances: () => readonly NetworkShares[]): void {
  it.each(CASES)('$kind of a $bits: $share times what one address may', async ({ kind, share, callerOf }) => {
    networks += 1;
    let granted = 0;
    for (let caller = 0; caller < 40; caller += 1)
      granted += await take(instances(), kind, callerOf(networks, caller), caller);
    expect(granted).toBe(share * EACH);
    const refusal: unknown = await instances()[0]
      ?.take(kind, callerOf(networks, 41), 1, EACH)
      .catch((error: unknown) => error);
    const { seconds, what } = LIMITS[kind];
    expect(refusal).toMatchObject({
      code: 'too_many_requests',
      message: expect.stringContaining(`has had its ${share * EACH} ${what}`),
    });
    const { retryAfterSeconds = 0 } = refusal as { retryAfterSeconds?: number };
    expect(retryAfterSeconds).toBeGreaterThan(0);
    expect(retryAfterSeconds).toBeLessThanOrEqual(seconds);
  });

  it.each(CASES)('$kind of a $bits: exact for all at once', async ({ kind, share, callerOf }) => {
    networks += 1;
    const granted = await Promise.all(
      Array.from({ length: 60 }, (_, caller) =>
        take(instances(), kind, callerOf(networks, caller), caller, 3),
      ),
    );
    expect(granted.reduce((sum, one) => sum + one, 0)).toBe(share * EACH);
  });

  it.each(CASES)('$kind of a $bits: back where it was not used', async ({ kind, callerOf }) => {
    networks += 1;
    for (let round = 0; round < 40; round += 1) {
      const taken = await instances()[round % instances().length]?.take(
        kind,
        callerOf(networks, 1),
        EACH,
        EACH,
      );
      expect(taken?.granted).toBe(EACH);
      await taken?.giveBack(EACH);
    }
  });
}

/** @returns what the caller gets, by turns from each instance */
async function take(
  instances: readonly NetworkShares[],
  kind: NetworkLimit,
  caller: string,
  turn: number,
  wanted = EACH,
): Promise<number> {
  const taken = await instances[turn % instances.length]?.take(kind, caller, wanted, EACH).catch(() => null);
  return taken?.granted ?? 0;
}

function hex(number: number): string {
  return number.toString(16);
}
