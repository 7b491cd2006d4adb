import { readConfig } from '../config/read-config.js';
import { STATE_NAMES } from '../domains/schema/states.js';
import { ApiError } from '../errors/api-error.js';
import { type TierName, type TierTable, Tiers, TIERS } from '../config/tiers.js';
import type { Caller } from './caller.js';
import { TierGate } from './tier-gate.js';

const WITH_KEYS = { AUTH: 'on', AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef' };
const gateOf = (env: Record<string, string> = WITH_KEYS, table: TierTable = TIERS) =>
  new TierGate(readConfig(env), new Tiers(table));
const visitor: Caller = { id: 'ip:203.0.113.7', tier: TIERS.demo };
const holder = (tier: TierName): Caller => ({
  id: 'account:1',
  tier: TIERS[tier],
  key: { id: '1', accountId: '1', scopes: ['read'], audience: null },
});

function refusal(act: () => void): ApiError {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('what a tier includes', () => {
  it('is let through', () => {
    gateOf().assertIncluded(holder('starter'), (tier) => tier.feed);
    gateOf().assertIncluded(visitor, (tier) => !tier.keyRequired);
  });

  it('is refused to another with the smallest tier that has it', () => {
    const error = refusal(() => gateOf().assertIncluded(holder('member'), (tier) => tier.feed, 'the feed'));
    expect(error).toMatchObject({
      ...{ code: 'tier_required', status: 403, headers: {} },
      message: 'The tier member does not include the feed. The tier starter does.',
    });
  });

  it('is refused with no tier where none has it', () => {
    const table = { ...TIERS, firehose: { ...TIERS.firehose, export: false } };
    const error = refusal(() =>
      gateOf(WITH_KEYS, table).assertIncluded(holder('pro'), (tier) => tier.export),
    );
    expect(error.message).toBe('The tier pro does not include this. No tier of this installation does.');
  });

  it.each([
    [
      'asked for a key',
      WITH_KEYS,
      'The tier demo does not include the feed. The tier starter does. Send its key as "Authorization: Bearer KEY".',
    ],
    [
      'not asked for one that would not be looked at',
      {},
      'The tier demo does not include the feed. This installation serves the demo tier only.',
    ],
  ])('without a key one is %s', (_what, env, message) => {
    const error = refusal(() => gateOf(env).assertIncluded(visitor, (tier) => tier.feed, 'the feed'));
    expect(error).toMatchObject({ code: 'key_required', status: 401, message });
    expect(error.headers).toEqual({ 'WWW-Authenticate': 'Bearer realm="bowerbird"' });
  });
});

describe('names in a state', () => {
  const OTHERS = STATE_NAMES.filter((state) => state !== 'available');

  it('are shown to every caller when they are on offer', () => {
    gateOf().assertShown(visitor, 'available');
    gateOf().assertShown(holder('member'), 'available');
  });

  it.each(OTHERS)('%s are shown to a tier with full fields', (state) => {
    gateOf().assertShown(holder('starter'), state);
  });

  it.each(OTHERS)('%s are refused to any other tier', (state) => {
    const message = `The tier member does not include names in the state ${state}. The tier starter does.`;
    expect(refusal(() => gateOf().assertShown(holder('member'), state))).toMatchObject({
      code: 'tier_required',
      message,
    });
    expect(refusal(() => gateOf().assertShown(visitor, state)).code).toBe('key_required');
  });
});

describe('what needs a key', () => {
  it('is let through with any', () => {
    gateOf().assertKey(holder('member'));
  });

  it.each([
    [
      WITH_KEYS,
      'This needs an API key. Send it as "Authorization: Bearer KEY"; keys are made at /profile/api-keys.',
    ],
    [{}, 'This needs an API key. This installation serves the demo tier only.'],
  ])('is refused without one', (env, message) => {
    const error = refusal(() => gateOf(env).assertKey(visitor));
    expect(error).toMatchObject({ code: 'key_required', message });
    expect(error.headers).toEqual({ 'WWW-Authenticate': 'Bearer realm="bowerbird"' });
  });
});
