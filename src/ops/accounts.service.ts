import { Injectable } from '@nestjs/common';
import { type AccountRow, AccountRepository } from '../accounts/account.repository.js';
import { AuditRepository } from '../observe/audit.repository.js';
import { callerIdOfAccount } from '../access/caller.js';
import { ApiKeyRepository } from '../access/api-key.repository.js';
import { Database, type Queryable } from '../db/database.js';
import { ApiError } from '../errors/api-error.js';
import { RecordBudget } from '../access/record-budget.js';
import { toAllowance } from '../access/tier.dto.js';
import { type TierName, Tiers } from '../config/tiers.js';
import { type AnswerOf, done, type Done, type OperatorCommand } from './answers.js';
import type { Account, Key } from './caller-answers.js';
import { type HeldKey, OperatorsRepository } from './operators.repository.js';

/** An account by its id or by its address. */
export type AccountReference = { readonly id: string } | { readonly email: string };

const MAX_KEYS_SHOWN = 100;

/** Accounts and keys. A change works within a second on every instance. */
@Injectable()
export class OperatorAccounts {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountRepository,
    private readonly keys: ApiKeyRepository,
    private readonly operators: OperatorsRepository,
    private readonly audit: AuditRepository,
    private readonly budget: RecordBudget,
    private readonly tiers: Tiers,
  ) {}

  /** @param email of one account; without it, all */
  async list(limit: number, email?: string): Promise<AnswerOf<'Accounts'>> {
    const only = email === undefined ? undefined : await this.accounts.findAccount(email);
    const rows = only === undefined ? await this.accounts.listAccounts(limit) : [only];
    return { ok: true, accounts: rows.flatMap((row) => (row ? toAccount(row) : [])) };
  }

  /** @throws {ApiError} not_found */
  async show(reference: AccountReference): Promise<AnswerOf<'AccountDetails'>> {
    const account = await this.find(reference);
    const keys = await this.operators.listKeys(account.email, MAX_KEYS_SHOWN);
    const belongings = await this.operators.countBelongings(account.id);
    return { ok: true, ...toAccount(account), keys: keys.map(toKey), ...belongings };
  }

  /** Its budgets now. @throws {ApiError} not_found */
  async usage(reference: AccountReference): Promise<AnswerOf<'AccountUsage'>> {
    const { id, tier: name } = await this.find(reference);
    const tier = this.tiers.table[name];
    const { rate, quota } = await this.budget.read({ tier, id: callerIdOfAccount(id) });
    const minute = { limit: rate.limit_per_min, remaining: rate.remaining };
    return { ok: true, tier: name, includes: toAllowance(tier), minute, quota: quota ?? null };
  }

  /** @throws {ApiError} not_found */
  async setTier(
    reference: AccountReference,
    tier: TierName,
    command: OperatorCommand,
  ): Promise<AnswerOf<'TierSet'>> {
    const { id, email } = await this.find(reference);
    return this.database.transaction(async (transaction) => {
      const before = await this.accounts.setTier(email, tier, transaction);
      if (before === null) throw unknown(email);
      const reason = `${command.reason} (${before} -> ${tier})`;
      const entry = { ...command, subject: `account:${id}`, reason };
      if (before !== tier) await this.audit.record(entry, transaction);
      return { ok: true, changed: before !== tier, email, before };
    });
  }

  /** Signs everybody out; its keys do not work until it is enabled again. @throws {ApiError} not_found */
  async setDisabled(reference: AccountReference, disabled: boolean, command: OperatorCommand): Promise<Done> {
    return this.change(reference, command, ({ email }, transaction) =>
      this.operators.setDisabled(email, disabled, transaction),
    );
  }

  /** Removes it with all that belongs to it. @throws {ApiError} not_found */
  async remove(reference: AccountReference, command: OperatorCommand): Promise<Done> {
    return this.change(reference, command, async ({ id }, transaction) => {
      const open = await this.accounts.findOpenBusiness(id, transaction);
      if (open !== null) throw new ApiError('bad_request', open);
      await this.accounts.deleteAccount(id, transaction);
      return true;
    });
  }

  async listSubscriptions(limit: number): Promise<AnswerOf<'Subscriptions'>> {
    const found = await this.operators.listSubscriptions(limit);
    return {
      ok: true,
      subscriptions: found.map(({ isEnded, happenedAt, accountTier, ...same }) => ({
        ...same,
        is_ended: isEnded,
        happened_at: happenedAt.toISOString(),
        account_tier: accountTier,
      })),
    };
  }

  async listKeys(email: string | null, limit: number): Promise<AnswerOf<'Keys'>> {
    return { ok: true, keys: (await this.operators.listKeys(email, limit)).map(toKey) };
  }

  /** @throws {ApiError} not_found when there is no such key that is not revoked */
  async revokeKey(id: string, command: OperatorCommand): Promise<Done> {
    await this.database.transaction(async (transaction) => {
      const account = await this.operators.revokeKey(id, transaction);
      if (account === null) throw new ApiError('not_found', `There is no key ${id} that is not revoked.`);
      for (const subject of [`key:${id}`, `account:${account}`])
        await this.audit.record({ ...command, subject }, transaction);
    });
    return done(true);
  }

  /** Revokes every key of an account. @throws {ApiError} not_found */
  async revokeKeys(reference: AccountReference, command: OperatorCommand): Promise<AnswerOf<'KeysRevoked'>> {
    let revoked = 0;
    const { changed } = await this.change(reference, command, async ({ id }, transaction) => {
      revoked = await this.keys.revokeAllKeys(id, transaction);
      return revoked > 0;
    });
    return { ok: true, changed, revoked };
  }

  /** @param work null: the account is gone meanwhile; false: nothing was to be changed */
  private async change(
    reference: AccountReference,
    command: OperatorCommand,
    work: (account: AccountRow, transaction: Queryable) => Promise<boolean | null>,
  ): Promise<Done> {
    const account = await this.find(reference);
    return this.database.transaction(async (transaction) => {
      const changed = await work(account, transaction);
      if (changed === null) throw unknown(account.email);
      if (changed) await this.audit.record({ ...command, subject: `account:${account.id}` }, transaction);
      return done(changed);
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

function toAccount({
  createdAt,
  workingKeys,
  disabledAt,
  ...same
}: AccountRow): InstanceType<typeof Account> {
  return {
    ...same,
    created_at: createdAt.toISOString(),
    working_keys: workingKeys,
    disabled_at: disabledAt?.toISOString() ?? null,
  };
}

function toKey(key: HeldKey): InstanceType<typeof Key> {
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
