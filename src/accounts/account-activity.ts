import { Injectable, Logger } from '@nestjs/common';
import {
  ACCOUNT_ACTIONS,
  type AccountAction,
  AccountAuditLog,
  type AuditEntry,
  AuditRepository,
  networkOf,
} from '../observe/audit.repository.js';
import { messageOf } from '../validation/unknown-values.js';
import { AccountMails } from './account-mails.js';
import { AccountRepository } from './account.repository.js';

const MAX_SHOWN = 100;

/** What an account's owner sees of the audit log, and the entries that signing in and keys add to it. */
@Injectable()
export class AccountActivity {
  private readonly logger = new Logger('Accounts');

  constructor(
    private readonly auditLog: AccountAuditLog,
    private readonly audit: AuditRepository,
    private readonly mails: AccountMails,
    private readonly accounts: AccountRepository,
  ) {}

  /** @param details such as the name of a key */
  async record(accountId: string, action: AccountAction, address: string, details = ''): Promise<void> {
    await this.auditLog.record({ accountId, address }, action, details);
  }

  /**
   * A complete sign-in; a failure here does not end it. The owner gets a mail if the network is new.
   *
   * @param how such as `with a passkey`
   */
  async recordSignIn(accountId: string, address: string, how = ''): Promise<void> {
    try {
      const network = networkOf(address);
      const email = network && (await this.accounts.findEmailUnlessSeenFrom(accountId, network));
      if (network && email) this.mails.signedInFrom(email, network);
    } catch (error) {
      this.logger.error(`Whether a sign-in came from a new network is not known: ${messageOf(error)}`);
    }
    await this.recordBestEffort(accountId, 'account.sign-in', address, how);
  }

  /** For an action that is complete: a failure to write the entry does not fail the request. */
  async recordBestEffort(
    accountId: string,
    action: AccountAction,
    address: string,
    details = '',
  ): Promise<void> {
    await this.auditLog.recordBestEffort({ accountId, address }, action, details);
  }

  /** Takes as long for an address without an account: the statement is the same. */
  async recordFailedSignIn(
    email: string,
    why: 'wrong password' | 'wrong code',
    address: string,
  ): Promise<void> {
    await this.accounts.recordFailedSignIn(email, why, networkOf(address));
  }

  /** The owner gets a mail: an attacker with a stolen session could make a key to keep access. */
  async recordKeyChange(
    { id, email }: { readonly id: string; readonly email: string },
    action: 'key.create' | 'key.replace' | 'key.revoke',
    address: string,
    name: string,
  ): Promise<void> {
    await this.record(id, action, address, name);
    this.mails.keyChanged(email, `${ACCOUNT_ACTIONS[action]}: ${name}`);
  }

  /** A key was used outside its networks; it was refused. */
  async warnOfKey(accountId: string, network: string): Promise<void> {
    const account = await this.accounts.findAccountById(accountId);
    if (account) this.mails.keyRefusedFrom(account.email, network);
  }

  /** One page, newest first, with operators' actions too. @param before id of the last entry of the previous page */
  async list(accountId: string, before?: number): Promise<{ entries: AuditEntry[]; next: number | null }> {
    // One extra row shows whether there is a next page.
    const found = await this.audit.list({ subject: subjectOf(accountId), before }, MAX_SHOWN + 1);
    const entries = found.slice(0, MAX_SHOWN);
    return { entries, next: found.length > MAX_SHOWN ? (entries.at(-1)?.id ?? null) : null };
  }
}

const subjectOf = (accountId: string): string => `account:${accountId}`;
