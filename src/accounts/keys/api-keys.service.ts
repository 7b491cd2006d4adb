import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { mintApiKey } from '../../auth/keys/api-key.js';
import {
  type ApiKey,
  ApiKeyRepository,
  isReplaceable,
  type NewApiKey,
} from '../../auth/keys/api-key.repository.js';
import { KeyRing } from '../../auth/keys/key-ring.js';
import { KeyUse } from '../../auth/keys/key-use.js';
import { Config } from '../../config/config.js';
import { RecordBudget } from '../../rate-limit/budget/record-budget.js';
import { Tiers } from '../../tiers/tiers.js';
import { AccountProblem, SignInRequired } from '../account-problem.js';
import type { Account } from '../accounts.service.js';
import type { CreateKeyForm, ReplaceKeyForm } from './api-keys.dto.js';
import { type ApiKeysView, type NewKeyView, toKeyRow } from '../pages/api-keys-page.js';

const MAX_WORKING_KEYS = 20;
const MAX_LISTED_KEYS = 100;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** What an account does with its keys. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly ring: KeyRing,
    private readonly uses: KeyUse,
    private readonly budget: RecordBudget,
    private readonly config: Config,
    private readonly tiers: Tiers,
  ) {}

  async listKeys(account: Account): Promise<ApiKeysView> {
    const tier = this.tiers.table[account.tier];
    // What this instance still holds back; another one's uses are at most a few seconds behind.
    await this.uses.write();
    const [keys, left] = await Promise.all([
      this.keys.listKeys(account.id, MAX_LISTED_KEYS),
      this.budget.read({ tier, id: `account:${account.id}` }),
    ]);
    const now = new Date();
    return {
      keys: keys.map((key) => ({ ...toKeyRow(key, now), submission: randomUUID() })),
      tier: tier.name,
      left,
      submission: randomUUID(),
      mostKeys: MAX_WORKING_KEYS,
    };
  }

  async createKey(account: Account, form: CreateKeyForm): Promise<NewKeyView> {
    const { name, kind, scopes, submission, expires_days: days } = form;
    const expiresAt = days === 0 ? null : new Date(Date.now() + days * DAY_MS);
    return this.issue({ accountId: account.id, name, kind, scopes, submission, expiresAt }, MAX_WORKING_KEYS);
  }

  /** Makes a key like this one, which goes on working for a while, so that programs can change over. */
  async replaceKey(account: Account, keyId: string, form: ReplaceKeyForm): Promise<NewKeyView> {
    const now = new Date();
    const { name, kind, scopes, createdAt, expiresAt } = await this.findReplaceableKey(account, keyId, now);
    const life = expiresAt && expiresAt.getTime() - createdAt.getTime();
    const key = {
      accountId: account.id,
      name,
      kind,
      scopes,
      submission: form.submission,
      expiresAt: life === null ? null : new Date(now.getTime() + life),
      replaces: { keyId, until: new Date(now.getTime() + form.overlap_hours * HOUR_MS) },
    };
    // One more than usual: who has the most keys must be able to change one over.
    const issued = await this.issue(key, MAX_WORKING_KEYS + 1);
    await this.ring.notice();
    return issued;
  }

  async renameKey(account: Account, keyId: string, name: string): Promise<void> {
    if (!(await this.keys.renameKey(account.id, keyId, name))) throw noSuchKey();
  }

  async revokeKey(account: Account, keyId: string): Promise<void> {
    if (!(await this.keys.revokeKey(account.id, keyId))) throw noSuchKey();
    await this.ring.notice();
  }

  private async issue(key: NewApiKey, mostWorking: number): Promise<NewKeyView> {
    const minted = mintApiKey(key.kind);
    const stored = await this.keys.insertKey(key, minted, mostWorking);
    // The session ended with it.
    if (stored === 'no_account') throw new SignInRequired();
    if (stored === 'submitted_before')
      throw new AccountProblem(
        409,
        'This form was sent before, and its key was shown then. Go back for another one.',
      );
    if (stored === 'not_replaceable') throw notReplaceable();
    if (stored === 'too_many')
      throw new AccountProblem(409, `${MAX_WORKING_KEYS} keys work already. Revoke one that is not in use.`);
    return {
      text: minted.text,
      name: stored.name,
      state: toKeyRow(stored, new Date()).state,
      exampleUrl: `${this.config.links.baseUrl}/api/v1/usage`,
    };
  }

  private async findReplaceableKey(account: Account, keyId: string, now: Date): Promise<ApiKey> {
    const key = await this.keys.findKey(account.id, keyId);
    if (!key) throw noSuchKey();
    if (!isReplaceable(key, now)) throw notReplaceable();
    return key;
  }
}

function notReplaceable(): AccountProblem {
  return new AccountProblem(
    409,
    'This key was replaced before or works no longer. Replace a newer one, or make one.',
  );
}

function noSuchKey(): AccountProblem {
  return new AccountProblem(404, 'There is no such key.');
}
