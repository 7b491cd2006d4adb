import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, Database } from '../../db/database.js';
import type { ApiError } from '../../errors/api-error.js';
import { AccountAuditLog, networkOf } from '../../observe/audit.repository.js';
import { ACCEPTED_TODAY, assertAccepted } from '../order/agreements.js';
import { OrderingCustomers } from '../order/customers.js';
import type { OrderActor } from '../order/order-actors.js';
import type { Acceptance } from '../order/agreements.js';
import { OrderRepository } from '../order/order.repository.js';
import { hashOfHolder } from '../order/quote-token.js';
import { refusal } from '../ledger/refusals.js';
import { type Mandate, MAX_MANDATES } from './mandate.js';
import { MandateRepository, type NewMandate } from './mandate.repository.js';

/** What a person fills in. */
export type MandateForm = Pick<
  NewMandate,
  | 'registrantId'
  | 'holder'
  | 'orderCents'
  | 'monthCents'
  | 'suffixes'
  | 'keyIds'
  | 'appIds'
  | 'takesUnknown'
  | 'expiresAt'
>;

/** Mandates are made, accepted and ended by persons only; programs are judged by them. */
@Injectable()
export class Mandates {
  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly mandates: MandateRepository,
    private readonly orders: OrderRepository,
    private readonly customers: OrderingCustomers,
    private readonly audit: AccountAuditLog,
  ) {}

  async list(accountId: string): Promise<Mandate[]> {
    return this.mandates.list(accountId, await this.clock.now(), 2 * MAX_MANDATES);
  }

  /** @throws {ApiError} with what to change */
  async make(form: MandateForm, accept: readonly string[], actor: OrderActor): Promise<string> {
    assertAccepted(accept);
    const { accountId } = actor;
    const now = await this.clock.now();
    if (form.monthCents < form.orderCents) throw refusal('invalid_parameter', 'mandateMonth');
    if (form.expiresAt <= now) throw refusal('invalid_parameter', 'mandateEnd');
    const found = await this.customers.findRegistrant(accountId, form.registrantId);
    if (!found) throw refusal('invalid_parameter', 'unknownRegistrant');
    if (!hashOfHolder(found()).equals(form.holder)) throw refusal('invalid_parameter', 'mandateHolder');
    const { keys, apps } = await this.mandates.listPrograms(accountId);
    const isKnown =
      form.keyIds.every((id) => keys.some((key) => key.id === id)) &&
      form.appIds.every((id) => apps.some((app) => app.id === id));
    if (!isKnown || form.keyIds.length + form.appIds.length === 0)
      throw refusal('invalid_parameter', 'mandatePrograms');
    const mandate = {
      ...{ ...form, id: randomUUID(), accountId, madeAt: now },
      acceptance: acceptanceBy(actor, now),
    };
    const isMade = await this.database.transaction(async (transaction) => {
      await this.orders.keepTexts(transaction);
      return this.mandates.insert(mandate, MAX_MANDATES, transaction);
    });
    if (!isMade) throw refusal('invalid_parameter', 'mandates', { most: MAX_MANDATES });
    await this.note(actor, 'mandate.create', mandate.id);
    return mandate.id;
  }

  /** A person accepts the agreements of today, which ends a suspension. @throws {ApiError} not_found */
  async accept(id: string, accept: readonly string[], actor: OrderActor): Promise<void> {
    assertAccepted(accept);
    const now = await this.clock.now();
    const isFound = await this.database.transaction(async (transaction) => {
      await this.orders.keepTexts(transaction);
      return this.mandates.accept(actor.accountId, id, acceptanceBy(actor, now), transaction);
    });
    if (!isFound) throw noMandate();
    await this.note(actor, 'mandate.accept', id);
  }

  /** @throws {ApiError} not_found */
  async end(id: string, actor: OrderActor): Promise<void> {
    if (!(await this.mandates.end(actor.accountId, id, await this.clock.now()))) throw noMandate();
    await this.note(actor, 'mandate.end', id);
  }

  private async note(
    { accountId, from }: OrderActor,
    action: 'mandate.create' | 'mandate.accept' | 'mandate.end',
    id: string,
  ): Promise<void> {
    await this.audit.recordBestEffort({ accountId, address: from ?? undefined }, action, id);
  }
}

function acceptanceBy({ by, from }: OrderActor, at: Date): Acceptance {
  return { agreements: ACCEPTED_TODAY, at, by, from: networkOf(from) };
}

function noMandate(): ApiError {
  return refusal('not_found', 'mandateGone');
}
