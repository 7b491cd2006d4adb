import { Injectable } from '@nestjs/common';
import { type AccountRow, AccountRepository } from '../../../accounts/account.repository.js';
import { AuditRepository } from '../../../observe/audit/audit.repository.js';
import { callerIdOfAccount } from '../../../access/caller.js';
import { ApiKeyRepository } from '../../../access/api-key.repository.js';
import { Database, type Queryable } from '../../../db/database.js';
import { ApiError } from '../../../errors/api-error.js';
import { RecordBudget } from '../../../access/record-budget.js';
import { toAllowance } from '../../../access/tier.dto.js';
import { type TierName, Tiers } from '../../../config/tiers.js';
import { done, type Done, type Order } from '../order.js';
import type {
  AccountDetails,
  AccountDto,
  AccountReference,
  AccountUsage,
  Accounts,
  KeyDto,
  Keys,
} from './accounts.dto.js';
import { type HeldKey, OperatorsAccountRepository } from './operators-account.repository.js';

const MAX_KEYS_SHOWN = 100;

/** What operators do with accounts and keys. It works within a second on every instance. */
@Injectable()
export class OperatorAccounts {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountRepository,
    private readonly keys: ApiKeyRepository,
    private readonly changes: OperatorsAccountRepository,
    private readonly audit: AuditRepository,
    private readonly budget: RecordBudget,
    private readonly tiers: Tiers,
  ) {}

  /** @param email of the only one that is wanted */
  async list(limit: number, email?: string): Promise<Accounts> {
    const only = email === undefined ? undefined : await this.accounts.findAccount(email);
    const rows = only === undefined ? await this.accounts.listAccounts(limit) : [only];
    return { ok: true, accounts: rows.flatMap((row) => (row ? toAccount(row) : [])) };
  }

  /** @throws {ApiError} not_found */
  async show(reference: AccountReference): Promise<AccountDetails> {
    const account = await this.find(reference);
    const keys = await this.changes.listKeys(account.email, MAX_KEYS_SHOWN);
    const belongings = await this.changes.countBelongings(account.id);
    return { ok: true, ...toAccount(account), keys: keys.map(toKey), ...belongings };
  }

  /** What is left of its budgets. @throws {ApiError} not_found */
  async usage(reference: AccountReference): Promise<AccountUsage> {
    const { id, tier: name } = await this.find(reference);
    const tier = this.tiers.table[name];
    const { rate, quota } = await this.budget.read({ tier, id: callerIdOfAccount(id) });
    const minute = { limit: rate.limit_per_min, remaining: rate.remaining };
    return { ok: true, tier: name, includes: toAllowance(tier), minute, quota: quota ?? null };
  }

  /** @returns the tier before. @throws {ApiError} not_found */
  async setTier(
    reference: AccountReference,
    tier: TierName,
    order: Order,
  ): Promise<{ email: string; before: TierName }> {
    const { id, email } = await this.find(reference);
    return this.database.transaction(async (transaction) => {
      const before = await this.accounts.setTier(email, tier, transaction);
      if (before === null) throw unknown(email);
      const reason = `${order.reason} (${before} -> ${tier})`;
      const deed = { ...order, action: 'account.tier', subject: `account:${id}`, reason };
      if (before !== tier) await this.audit.record(deed, transaction);
      return { email, before };
    });
  }

  /** Nobody signs in to it and its keys do not work until it is enabled again. @throws {ApiError} not_found */
  async setDisabled(reference: AccountReference, disabled: boolean, order: Order): Promise<Done> {
    const account = await this.find(reference);
    return this.change(disabled ? 'account.disable' : 'account.enable', account, order, (transaction) =>
      this.changes.setDisabled(account.email, disabled, transaction),
    );
  }

  /** Removes it with all that belongs to it. @throws {ApiError} not_found */
  async remove(reference: AccountReference, order: Order): Promise<Done> {
    const account = await this.find(reference);
    return this.change('account.remove', account, order, (transaction) =>
      this.accounts.deleteAccount(account.id, transaction).then(() => true),
    );
  }

  async listKeys(email: string | null, limit: number): Promise<Keys> {
    return { ok: true, keys: (await this.changes.listKeys(email, limit)).map(toKey) };
  }

  /** @throws {ApiError} not_found when there is no such key that is not revoked */
  async revokeKey(id: string, order: Order): Promise<Done> {
    await this.database.transaction(async (transaction) => {
      const account = await this.changes.revokeKey(id, transaction);
      if (account === null) throw new ApiError('not_found', `There is no key ${id} that is not revoked.`);
      await this.audit.record({ ...order, action: 'key.revoke', subject: `key:${id}` }, transaction);
      await this.audit.record({ ...order, action: 'key.revoke', subject: `account:${account}` }, transaction);
    });
    return done(true);
  }

  /** Ends every key of an account. @returns how many worked until now. @throws {ApiError} not_found */
  async revokeKeys(reference: AccountReference, order: Order): Promise<number> {
    const account = await this.find(reference);
    let count = 0;
    await this.change('account.revoke-keys', account, order, async (transaction) => {
      count = await this.keys.revokeAllKeys(account.id, transaction);
      return count > 0;
    });
    return count;
  }

  /** @param work null: the account is gone meanwhile; false: it is so already */
  private async change(
    action: string,
    { id, email }: AccountRow,
    order: Order,
    work: (transaction: Queryable) => Promise<string | boolean | null>,
  ): Promise<Done> {
    return this.database.transaction(async (transaction) => {
      const outcome = await work(transaction);
      if (outcome === null) throw unknown(email);
      if (outcome !== false)
        await this.audit.record({ ...order, action, subject: `account:${id}` }, transaction);
      return done(outcome !== false);
    });
  }

  private async find(reference: AccountReference): Promise<AccountRow> {
    const account = await ('id' in reference
      ? this.accounts.findAccountById(reference.id)
      : this.accounts.findAccount(reference.email));
    if (!account) throw unknown('id' in reference ? reference.id : reference.email);
    return account;
  }
}

function unknown(email: string): ApiError {
  return new ApiError('not_found', `There is no account ${email}.`);
}

function toAccount({ createdAt, workingKeys, disabledAt, ...same }: AccountRow): AccountDto {
  return {
    ...same,
    created_at: createdAt.toISOString(),
    working_keys: workingKeys,
    disabled_at: disabledAt?.toISOString() ?? null,
  };
}

function toKey(key: HeldKey): KeyDto {
  return {
    id: key.id,
    email: key.email,
    name: key.name,
    kind: key.kind,
    scopes: key.scopes,
    shown: `${key.start}…${key.tail}`,
    works: key.works,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}
