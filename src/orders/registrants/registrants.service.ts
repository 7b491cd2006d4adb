import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Caller, actorOf } from '../../access/caller.js';
import { IdempotentRequests, type Remember, senderOf } from '../../access/idempotent-requests.js';
import { AccountDataRepository } from '../../accounts/account-data.repository.js';
import { Clock, type Queryable } from '../../db/database.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import type { ApiError } from '../../errors/api-error.js';
import { AccountAuditLog } from '../../observe/audit.repository.js';
import { EligibilityService } from '../eligibility/eligibility.service.js';
import type { Verdict } from '../eligibility/verdict.js';
import { OrderingCustomers, type SealedRegistrant } from '../order/customers.js';
import { refusal } from '../ledger/refusals.js';
import type { Registrant } from '../registrar/port.js';
import {
  MAX_REGISTRANTS,
  type RegistrantProfile,
  RegistrantRepository,
  type StoredRegistrant,
} from './registrant.repository.js';

/** A caller with an account. */
export interface Customer {
  readonly caller: Caller;
  readonly accountId: string;
}

/** The registrants of accounts. The customer is the registrant, always: an order has one of its account's own. */
@Injectable()
export class RegistrantsService extends OrderingCustomers {
  constructor(
    private readonly registrants: RegistrantRepository,
    private readonly eligibility: EligibilityService,
    private readonly requests: IdempotentRequests,
    private readonly auditLog: AccountAuditLog,
    private readonly clock: Clock,
    data: AccountDataRepository,
  ) {
    super();
    data.addList('registrants', async (accountId) =>
      (await registrants.list(accountId)).map(({ id: profile, createdAt, changedAt, registrant }) => ({
        ...{ profile, created_at: createdAt, changed_at: changedAt, is_readable: registrant !== null },
        ...registrant,
      })),
    );
  }

  async findRegistrant(
    accountId: string,
    registrantId: string,
    on?: Queryable,
  ): Promise<SealedRegistrant | null> {
    const open = await this.registrants.findSealed(accountId, registrantId, on);
    return open && (() => assertReadable(open()).registrant);
  }

  judge(domain: DomainName, registrant: Registrant): Promise<Verdict> {
    return this.eligibility.judge(domain, registrant, true);
  }

  list(accountId: string): Promise<StoredRegistrant[]> {
    return this.registrants.list(accountId);
  }

  /** Also one that no key opens. @throws {ApiError} not_found */
  async find(accountId: string, id: string): Promise<StoredRegistrant> {
    const profile = await this.registrants.find(accountId, id);
    if (!profile) throw notFound();
    return profile;
  }

  /** @throws {ApiError} not_found; invalid_parameter where no key opens it */
  async read(accountId: string, id: string): Promise<RegistrantProfile> {
    return assertReadable(await this.find(accountId, id));
  }

  /**
   * The same request with the same key adds one.
   *
   * @throws {ApiError} limit_reached, idempotency_conflict
   */
  async add(registrant: Registrant, customer: Customer, key?: string): Promise<RegistrantProfile> {
    const { caller, accountId } = customer;
    return this.requests.once(
      { by: senderOf(caller), key, content: ['registrant', registrant] },
      (remember) => this.addNow(registrant, customer, remember),
      async (id) => {
        const profile = await this.registrants.find(accountId, id);
        return profile && assertReadable(profile);
      },
    );
  }

  private async addNow(
    registrant: Registrant,
    { caller, accountId }: Customer,
    remember: Remember,
  ): Promise<RegistrantProfile> {
    const now = await this.clock.now();
    const profile = { id: randomUUID(), createdAt: now, changedAt: now, registrant };
    if (!(await this.registrants.insert(accountId, profile, remember)))
      throw refusal('limit_reached', 'registrants', { most: MAX_REGISTRANTS });
    await this.auditLog.recordBestEffort(actorOf(caller, accountId), 'registrant.add', profile.id);
    return profile;
  }

  /** Orders that were placed keep the registrant that they were placed with. @throws {ApiError} not_found */
  async change(
    id: string,
    registrant: Registrant,
    { caller, accountId }: Customer,
  ): Promise<RegistrantProfile> {
    if (!(await this.registrants.replace(accountId, id, registrant, await this.clock.now())))
      throw notFound();
    await this.auditLog.recordBestEffort(actorOf(caller, accountId), 'registrant.change', id);
    return this.read(accountId, id);
  }

  /** @throws {ApiError} not_found */
  async remove(id: string, { caller, accountId }: Customer): Promise<void> {
    if (!(await this.registrants.delete(accountId, id))) throw notFound();
    await this.auditLog.recordBestEffort(actorOf(caller, accountId), 'registrant.remove', id);
  }
}

/** @throws {ApiError} invalid_parameter */
function assertReadable({ registrant, ...profile }: StoredRegistrant): RegistrantProfile {
  if (registrant === null) throw refusal('invalid_parameter', 'registrantUnreadable');
  return { ...profile, registrant };
}

function notFound(): ApiError {
  return refusal('not_found', 'registrantGone');
}
