import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Scope } from '../../access/api-key.js';
import { keyRequired } from '../../access/bearer.js';
import { type Caller, ownerOf } from '../../access/caller.js';
import { RecordBudget } from '../../access/record-budget.js';
import { assertScope } from '../../access/requirements.js';
import { Clock } from '../../db/database.js';
import { ApiError } from '../../errors/api-error.js';
import { networkOf } from '../../observe/audit.repository.js';
import { fillIn, t } from '../../texts/texts.js';
import { BoundedMap } from '../../validation/caches.js';
import { AGREEMENT_NAMES } from '../order/agreements.js';
import type { Approver, OrderActor } from '../order/order-actors.js';
import { OrderDesk, type Placed, type Quoted, type Wanted } from '../order/order-desk.js';
import { readNameServers } from '../order/name-servers.js';
import { refusal } from '../ledger/refusals.js';
import { type Order, OrderRepository } from '../order/order.repository.js';
import { hashOfHolder, type Quote } from '../order/quote-token.js';
import { RegisteredNames } from '../order/registered-names.js';
import { renewableAfter } from '../order/renewal-window.js';
import { ShownOrders } from '../order/shown-orders.js';
import { ApprovalLinks } from './approval-links.js';
import { type Program, whyBeyondAll, wishOf } from './mandate.js';
import { MandateRepository } from './mandate.repository.js';

/** An order that a program placed. */
export interface PlacedByProgram {
  readonly order: Order;
  /** Why a person has to approve it; null where that is not so, or no longer. */
  readonly waitsBecause: string | null;
}

interface ProgramOfAccount extends OrderActor {
  readonly program: Program;
}

const MAX_PROGRAMS = 10_000;
const RECORDS_PER_DROP = 1;

/** Beyond every mandate: the order waits for a person, and nothing was held. */
class BeyondMandate extends Error {}

/**
 * Orders of programs, over all doors. Within a mandate an order is approved by it; any other waits for a person, who
 * gets a link by mail. Nothing that a program sends is an approval.
 */
@Injectable()
export class ProgramOrders {
  /** By program, what its last order left of a month: one that fits into it is judged with its approval alone. */
  private readonly leftCents = new BoundedMap<string, number>(MAX_PROGRAMS);

  constructor(
    private readonly clock: Clock,
    private readonly desk: OrderDesk,
    private readonly orders: OrderRepository,
    private readonly shown: ShownOrders,
    private readonly mandates: MandateRepository,
    private readonly links: ApprovalLinks,
    private readonly budget: RecordBudget,
    private readonly names: RegisteredNames,
  ) {}

  /** For a program that names the agreements itself. */
  async place(
    quote: string,
    accept: readonly string[],
    key: string | undefined,
    caller: Caller,
    nameServers: readonly string[] = [],
  ): Promise<PlacedByProgram> {
    const owner = await this.ownerOf(caller, 'orders:place');
    return this.decide(await this.desk.place(quote, accept, key, owner, nameServers), owner);
  }

  /**
   * For an agent, which may retry and quote again: one order a name, until it has ended.
   *
   * @throws {ApiError} mandate_required where no mandate names the program
   */
  async placeOnce(
    token: string,
    caller: Caller,
    nameServers: readonly string[] = [],
  ): Promise<PlacedByProgram> {
    const owner = await this.ownerOf(caller, 'orders:place');
    const { accountId, program } = owner;
    const now = await this.clock.now();
    if ((await this.mandates.listFor(accountId, program, now)).length === 0) throw mandateRequired();
    const quote = this.desk.readQuote(token, accountId, now);
    const { open, placed } = await this.orders.findOpen(accountId, quote.domain, renewableAfter(now));
    if (open) return this.decideSame(open, quote, nameServers, owner);
    // The same for two calls at once, and another one after an order that ended.
    const key = createHash('sha256').update(`agent ${quote.domain} ${placed}`).digest('base64url');
    try {
      return await this.decide(await this.desk.place(token, AGREEMENT_NAMES, key, owner, nameServers), owner);
    } catch (error) {
      const other = isConflict(error) ? await this.orders.findByKey(accountId, key) : null;
      // Another program can have used the key, for anything.
      if (other?.domain !== quote.domain) throw error;
      return this.decideSame(other, quote, nameServers, owner);
    }
  }

  /**
   * A quote tells whether a name is about to drop, and then costs as much as a check: otherwise quotes would read the
   * list of drops past every budget.
   *
   * @throws {MeteredError} budget_exhausted
   */
  async price(wanted: Wanted, caller: Caller): Promise<Quoted> {
    this.budget.assertLeft(caller);
    const quoted = await this.desk.quote(wanted, ownerOf(caller));
    if (quoted.quote.isDrop) await this.budget.charge(caller, RECORDS_PER_DROP);
    return quoted;
  }

  /** @param wanted without a registrant: for the one of the program's mandate */
  async quote(
    wanted: Omit<Wanted, 'registrantId'> & { readonly registrantId: string | undefined },
    caller: Caller,
  ): Promise<Quoted & { readonly beyond: string | null }> {
    const { accountId, program } = await this.ownerOf(caller, 'orders:quote');
    const registrantId = wanted.registrantId ?? (await this.registrantOf(accountId, program));
    if (registrantId === undefined) throw refusal('invalid_parameter', 'noRegistrant');
    const quoted = await this.price({ ...wanted, registrantId }, caller);
    const { at, quote, verdict, registrant } = quoted;
    const wish = wishOf(quote, { verdict: verdict.is, holder: hashOfHolder(registrant) });
    return { ...quoted, beyond: whyBeyondAll(await this.mandates.listFor(accountId, program, at), wish, at) };
  }

  private async registrantOf(accountId: string, program: Program): Promise<string | undefined> {
    const [first] = await this.mandates.listFor(accountId, program, await this.clock.now());
    return first?.registrantId;
  }

  /** @throws {ApiError} not_found */
  async read(id: string, caller: Caller): Promise<PlacedByProgram> {
    const owner = await this.ownerOf(caller, 'orders:read');
    const order = await this.shown.read(id, owner.accountId);
    return { order, waitsBecause: await this.whyWaits(order, owner) };
  }

  /**
   * Orders that were not sent, of this program or without a person's approval; a registered name only where a mandate
   * approved the order of this program.
   */
  async cancel(id: string, caller: Caller): Promise<Order> {
    const { accountId, by } = await this.ownerOf(caller, 'orders:place');
    return this.desk.cancel(id, accountId, by);
  }

  /** Of a name that this program ordered. */
  async setServers(id: string, hosts: readonly string[], caller: Caller): Promise<Order> {
    const { accountId, by } = await this.ownerOf(caller, 'orders:place');
    return this.names.setServers(id, hosts, accountId, by);
  }

  /** Approves it by a mandate, or asks a person. */
  private async decide(placed: Placed, owner: ProgramOfAccount): Promise<PlacedByProgram> {
    return this.decideNow(placed, owner).catch(async (error: unknown) => {
      // A replay, after its registrant was erased or a key was lost.
      if (placed.at || (await this.orders.findHolder(placed.order.id))) throw error;
      return { order: placed.order, waitsBecause: null };
    });
  }

  private async decideNow(
    { order, at, registrant }: Placed,
    owner: ProgramOfAccount,
  ): Promise<PlacedByProgram> {
    if (order.state !== 'awaiting_approval') return { order, waitsBecause: null };
    const now = at ?? (await this.clock.now());
    const { accountId, program, by } = owner;
    if (order.totalCents > (this.leftCents.get(by) ?? 0)) {
      // Who the registrant is, and whether it may have the name, is judged with the approval.
      const mandates = await this.mandates.listFor(accountId, program, now);
      const waitsBecause = whyBeyondAll(mandates, wishOf(order), now);
      if (waitsBecause !== null) return this.ask(order, waitsBecause);
    }
    try {
      const approver = { ...this.approverOf(owner), at: now, registrant };
      return { order: await this.desk.accept(order, approver), waitsBecause: null };
    } catch (error) {
      if (!(error instanceof BeyondMandate)) throw error;
      this.leftCents.delete(by);
      return this.ask(order, error.message);
    }
  }

  /** Continues an earlier order of the name if it is the same order: another program can have placed it. */
  private async decideSame(
    order: Order,
    quote: Quote,
    nameServers: readonly string[],
    owner: ProgramOfAccount,
  ): Promise<PlacedByProgram> {
    const isSame =
      order.years === quote.years &&
      order.registrantId === quote.registrantId &&
      order.renews === quote.renews &&
      order.nameServers.join() === readNameServers(nameServers, quote).join();
    if (isSame || order.state !== 'awaiting_approval') return this.decide({ order }, owner);
    const waitsBecause = (await this.whyWaits(order, owner)) ?? t.mandates.beyond.otherTerms;
    return { order, waitsBecause };
  }

  private async ask(order: Order, waitsBecause: string): Promise<PlacedByProgram> {
    await this.links.send(order);
    return { order, waitsBecause };
  }

  /** Checks the limits while the mandates are locked, so that two instances cannot both pass. */
  private approverOf({ accountId, program, by, from }: ProgramOfAccount): Approver {
    return {
      ...{ by, from: networkOf(from) },
      decide: async (transaction, { order, verdict, holder, now }) => {
        const mandates = await this.mandates.lockFor(accountId, program, now, transaction);
        const wish = wishOf(order, { verdict, holder });
        const mandate = mandates.find((one) => whyBeyondAll([one], wish, now) === null);
        if (!mandate) throw new BeyondMandate(whyBeyondAll(mandates, wish, now) ?? '');
        this.leftCents.set(by, mandate.monthCents - mandate.spentCents - order.totalCents);
        return { mandateId: mandate.id, acceptance: mandate.acceptance };
      },
    };
  }

  private async whyWaits(order: Order, { accountId, program }: ProgramOfAccount): Promise<string | null> {
    if (order.state !== 'awaiting_approval') return null;
    const now = await this.clock.now();
    return whyBeyondAll(await this.mandates.listFor(accountId, program, now), wishOf(order), now);
  }

  /** @throws {ApiError} key_required, scope_required, mandate_required */
  private async ownerOf({ key, address }: Caller, scope: Scope): Promise<ProgramOfAccount> {
    if (!key) throw keyRequired(fillIn(t.orders.refused.scopeNeeded, { scope }));
    const { id, accountId, scopes, audience } = key;
    if (audience === null) {
      assertScope(scopes, scope);
      return { accountId, program: { key: id }, by: `key:${id}`, from: address ?? null };
    }
    // The consent of an app is for reading: what it may order, and see of orders, a mandate says.
    const app = await this.mandates.findApp(id);
    if (app === null) throw mandateRequired();
    const program = { app };
    const now = await this.clock.now();
    if ((await this.mandates.listFor(accountId, program, now)).length === 0) throw mandateRequired();
    return { accountId, program, by: `app:${app}`, from: address ?? null };
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'idempotency_conflict';
}

function mandateRequired(): ApiError {
  return refusal('mandate_required', 'noMandate');
}
