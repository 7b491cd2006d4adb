import { Logger } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { TIERS } from '../config/tiers.js';
import type { Clock } from '../db/database.js';
import { SharedCounters } from '../redis/redis.module.js';
import type { ListSecretRepository } from './list-cursors.repository.js';
import { passIn, ProofOfWork } from './proof-of-work.js';

beforeAll(() => Logger.overrideLogger(false));

const caller = { id: 'ip:203.0.113.7', tier: TIERS.demo };

it.each([
  ['off', 0],
  ['observe', 1],
] as const)('PROOF_OF_WORK=%s asks nobody, and counts %d', async (proofOfWork, counted) => {
  // Neither is asked.
  const [secret, clock] = [{} as ListSecretRepository, {} as Clock];
  const work = new ProofOfWork(
    { networks: { proofOfWork } } as Config,
    new SharedCounters(null),
    secret,
    clock,
  );
  const outcomes: unknown[] = [];
  const counter = { inc: (labels: unknown) => outcomes.push(labels) };
  work.count({ counter: () => counter } as never);
  await work.assertShown(caller, '203.0.113.0/24');
  expect(outcomes).toEqual(Array(counted).fill({ outcome: 'asked' }));
});

it.each([
  [undefined, undefined],
  ['a=b; bowerbird_work=0a.1.2.x-_y.1-2; c=d', '0a.1.2.x-_y.1-2'],
  ['xbowerbird_work=1', undefined],
])('in the cookies %s the pass is %s', (cookie, pass) => {
  expect(passIn({ cookie })).toBe(pass);
});
