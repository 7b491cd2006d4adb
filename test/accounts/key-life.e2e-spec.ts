import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type KeyKind, mintApiKey, type Scope, SCOPES } from '../../src/access/api-key.js';
import { ApiKeyRepository } from '../../src/access/api-key.repository.js';
import { TRUST_MS } from '../../src/access/api-key-cache.js';
import { AccountRepository } from '../../src/accounts/account.repository.js';
import { TIER_NAMES, type TierName } from '../../src/config/tiers.js';
import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { until } from '../support/processes.js';
import { runs } from '../support/runs.js';

const ASKED_OFTEN = { requestsPerMinute: 1_000_000 };
const ENVIRONMENT = {
  ...WITH_KEYS,
  TIERS: JSON.stringify(Object.fromEntries(TIER_NAMES.map((tier) => [tier, ASKED_OFTEN]))),
};

let instances: TestApp[];
let keys: ApiKeyRepository;
beforeAll(async () => {
  const first = await startTestApp(ENVIRONMENT);
  instances = [first, await startTestApp({ ...ENVIRONMENT, DATABASE_URL: first.databaseUrl })];
  keys = first.app.get(ApiKeyRepository);
});
afterAll(async () => {
  for (const { close } of [...instances].reverse()) await close();
});

interface Key {
  readonly id: string;
  readonly text: string;
  readonly account: Account;
  readonly scopes: readonly Scope[];
  works: boolean;
  isReplaced?: true;
}
interface Account {
  readonly id: string;
  tier: TierName;
  exists: boolean;
}

/** What must be true: a plain list of keys and accounts. */
class Model {
  readonly keys: Key[] = [];
  constructor(readonly account: Account) {}
  pick = (place: number) => this.keys[place % this.keys.length];
}

type Change = (model: Model) => Promise<void>;

const changes: Record<string, fc.Arbitrary<Change>> = {
  mint: fc
    .record({
      scopes: fc.subarray([...SCOPES], { minLength: 1 }),
      kind: fc.constantFrom<KeyKind>('live', 'test'),
    })
    .map((seed) => async ({ account, keys: known }) => {
      if (!account.exists) return;
      const { id, text } = await addKey(database(), { ...seed, accountId: account.id });
      known.push({ id, text, account, scopes: seed.scopes, works: true });
    }),
  revoke: onKey(async (key) => {
    await keys.revokeKey(key.account.id, key.id);
    key.works = false;
  }),
  expire: onKey(async (key) => {
    await database().query('UPDATE api_key SET expires_at = now() WHERE id = $1', [key.id]);
    key.works = false;
  }),
  replaceAtOnce: onKey((key, model) => replace(key, model, 0)),
  replaceLater: onKey((key, model) => replace(key, model, 3_600_000)),
  revokeAll: fc.constant(async ({ account, keys: known }) => {
    await keys.revokeAllKeys(account.id);
    for (const key of known) key.works = false;
  }),
  setTier: fc.constantFrom(...TIER_NAMES.slice(1)).map((tier) => async ({ account }) => {
    await new AccountRepository(database()).setTier(await emailOf(account), tier);
    account.tier = tier;
  }),
  deleteAccount: fc.constant(async ({ account, keys: known }) => {
    await database().query('DELETE FROM account WHERE id = $1', [account.id]);
    account.exists = false;
    for (const key of known) key.works = false;
  }),
  mistype: onKey(async (key) => {
    const at = key.text.length - 5;
    const other = key.text[at] === 'a' ? 'b' : 'a';
    for (const app of instances)
      expect((await ask(app, key.text.slice(0, at) + other + key.text.slice(at + 1))).status).toBe(401);
  }),
};

const WEIGHTS: Record<string, number> = { mint: 5, deleteAccount: 1, revokeAll: 1 };
// Named, so that a counterexample can be read.
const anyStep = fc.oneof(
  ...Object.entries(changes).map(([name, change]) => ({
    weight: WEIGHTS[name] ?? 2,
    arbitrary: change.map((apply) => ({ apply, toString: () => name })),
  })),
);

it('whatever happens to keys, both instances say the truth of every one within a second', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 8 }), async (walk) => {
      const { accountId } = await addKey(database());
      const model = new Model({ id: accountId, tier: 'member', exists: true });
      for (const step of walk) {
        await step.apply(model);
        const changedAt = performance.now();
        for (const key of model.keys)
          for (const app of instances)
            await until('the truth', async () => {
              const askedAt = performance.now();
              const isTrue = await tellsTruth(app, key);
              // A key that was taken back may still be trusted for a moment, and not longer.
              if (!isTrue) expect(askedAt - changedAt).toBeLessThan(TRUST_MS + 200);
              return isTrue;
            });
      }
    }),
    { numRuns: runs(10) },
  );
});

async function tellsTruth(app: TestApp, { text, account, scopes, works }: Key): Promise<boolean> {
  const { status, body } = await ask(app, text);
  if (!works) return status === 401;
  return status === 200 && body.tier === account.tier && body.scopes.join() === scopes.join();
}

function ask(app: TestApp, text: string) {
  return app.caller().get('/api/v1/usage').set('Authorization', `Bearer ${text}`);
}

async function replace(key: Key, model: Model, overlapMs: number): Promise<void> {
  const minted = mintApiKey('live');
  const made = await keys.insertKey(
    {
      accountId: key.account.id,
      name: 'Next',
      kind: 'live',
      scopes: key.scopes,
      expiresAt: null,
      submission: randomUUID(),
      replaces: { keyId: key.id, until: new Date(Date.now() + overlapMs), endsNow: overlapMs <= 0 },
    },
    minted,
    1000,
  );
  if (!key.works || key.isReplaced) {
    expect(made).toBe(key.account.exists ? 'not_replaceable' : 'no_account');
    return;
  }
  if (typeof made === 'string') throw new Error(made);
  key.isReplaced = true;
  if (overlapMs === 0) key.works = false;
  model.keys.push({ id: made.id, text: minted.text, account: key.account, scopes: key.scopes, works: true });
}

function onKey(change: (key: Key, model: Model) => Promise<void>): fc.Arbitrary<Change> {
  return fc.nat().map((place) => async (model) => {
    const key = model.pick(place);
    if (key) await change(key, model);
  });
}

function database() {
  const [first] = instances;
  if (!first) throw new Error('no instance runs');
  return first.database;
}

async function emailOf({ id }: Account): Promise<string> {
  const [row] = await database().query<{ email: string }>('SELECT email FROM account WHERE id = $1', [id]);
  return row?.email ?? '';
}
