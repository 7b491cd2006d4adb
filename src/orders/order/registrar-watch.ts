import { Inject, Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Database } from '../../db/database.js';
import { fillIn, t } from '../../texts/texts.js';
import type { NamedKind, Work, WorkResult } from '../../work/kind.js';
import { WorkQueue } from '../../work/work-queue.js';
import { OrderingStops } from '../ledger/ordering-stops.repository.js';
import { SeenPlace } from '../ledger/seen-place.js';
import {
  NOT_NOW,
  type Outcome,
  PRICED,
  type Registrar,
  type RegistrarMessage,
  REGISTRARS,
  type Registrars,
} from '../registrar/port.js';
import { type Finding, finding, RegistrarStateRepository } from '../registrar/registrar-state.repository.js';
import { OrderRepository } from './order.repository.js';
import { ReconcileRepository } from './reconcile.repository.js';

const BALANCE_EVERY_MS = 10 * 60_000;
const PRICES_EVERY_MS = 60 * 60_000;

/**
 * Reads the registrars' messages, which settle pending orders, their balances and their prices. A short balance stops
 * ordering for all customers until there is enough.
 */
@Injectable()
export class RegistrarWatch implements NamedKind {
  readonly name = 'registrar-watch';
  /** A pending order has its outcome within a minute of the message. */
  readonly everyMs = 30_000;
  readonly deadlineMs = 120_000;
  private readonly logger = new Logger('Orders');

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly stops: OrderingStops,
    private readonly seen: SeenPlace,
    private readonly orders: OrderRepository,
    private readonly rows: ReconcileRepository,
    private readonly state: RegistrarStateRepository,
    private readonly queue: WorkQueue,
    @Inject(REGISTRARS) private readonly registrars: Registrars,
  ) {}

  async run(_work: Work, now: Date): Promise<WorkResult> {
    if (this.config.orders.enabled) await this.stops.notePlace();
    await this.seen.compare();
    await this.stops.noteRestored(now);
    for (const registrar of this.registrars.all) {
      const polled = await registrar.poll((message) => this.take(message, now));
      if (polled.is === 'unknown') this.logger.warn(`${registrar.name} was not polled: ${polled.why}`);
      if (polled.is === 'done') await this.state.notePolled(registrar.name, polled.value, now);
      const pricesAt = (await this.state.find(registrar.name))?.pricesAt ?? null;
      if (isOlder(pricesAt, PRICES_EVERY_MS, now)) await this.watchPrices(registrar, now);
    }
    await this.watchFunds(now);
    return {};
  }

  private async take({ clTRID, name, outcome }: RegistrarMessage, now: Date): Promise<void> {
    if (clTRID === null || name === null || outcome === null) return;
    await this.database.transaction(async (transaction) => {
      const order = await this.orders.noteMessage(clTRID, name, outcome, transaction);
      if (order !== null) await this.queue.wake(transaction, 'registration', [{ key: order }], now);
    });
  }

  /** Prices that moved against the operator's table; the quotes have them at once. */
  private async watchPrices(registrar: Registrar, now: Date): Promise<void> {
    const { name } = registrar;
    const findings: Finding[] = [];
    const untold: string[] = [];
    let told = 0;
    let unanswered = 0;
    for (const [suffix, table] of Object.entries(registrar.capabilities().yearCents))
      for (const of of PRICED) {
        const subject = of === 'renewal' ? `${suffix} renewal` : suffix;
        const price = await registrar.quote(`example.${suffix}`, 1, of);
        unanswered = isAnswered(price) ? 0 : unanswered + 1;
        // A registrar that is away must not keep the messages of the others waiting.
        if (unanswered > PRICED.length) return this.state.noteFindings(findings, now);
        if (price.is !== 'done') {
          untold.push(subject);
          continue;
        }
        told += 1;
        if (price.value.cents === table[of]) continue;
        const values = { suffix, there: String(price.value.cents), here: String(table[of]) };
        findings.push(finding(name, subject, of === 'renewal' ? 'renewalPrice' : 'price', values));
      }
    await this.state.noteFindings(findings, now);
    for (const subject of untold)
      await this.state.keepFinding({ registrar: name, kind: 'price', subject }, now);
    if (told === 0) return;
    await this.state.endFindings(name, ['price'], now);
    await this.state.notePrices(name, now);
  }

  private async watchFunds(now: Date): Promise<void> {
    for (const registrar of this.registrars.all) {
      if (!registrar.capabilities().hasBalance) continue;
      const { name } = registrar;
      const isStopped = await this.stops.isShort(name);
      const known = await this.state.find(name);
      if (!isStopped && !isOlder(known?.balanceAt ?? null, BALANCE_EVERY_MS, now)) continue;
      const before = await this.rows.readPrepaid();
      const balance = await registrar.balance();
      if (balance.is !== 'done') continue;
      const { cents } = balance.value;
      const after = await this.rows.readPrepaid();
      // The ledger has one account for all registrars, and an order under way is in one of the two alone.
      const isComparable = this.registrars.all.length === 1 && before !== null && before === after;
      const surplus = isComparable ? cents - before : null;
      await this.noteBalance(name, cents, { surplus, known: known?.surplusCents ?? null }, now);
      const needed = Math.max(this.config.orders.fundsMinCents, await this.orders.readCostOfWaiting(name));
      if (cents >= needed) {
        if (isStopped) await this.stops.clearFunds(name);
        continue;
      }
      const words = fillIn(t.orders.short, { registrar: name, there: String(cents), needed: String(needed) });
      if (await this.stops.stop('funds', words, now, { registrar: name }))
        this.logger.error(`Ordering is stopped: ${words}`);
    }
  }

  /** A charge that the ledger does not have makes the surplus smaller. */
  private async noteBalance(
    registrar: string,
    cents: number,
    { surplus, known }: { readonly surplus: number | null; readonly known: number | null },
    now: Date,
  ): Promise<void> {
    const isLess = surplus !== null && known !== null && surplus < known;
    await this.state.noteBalance(registrar, cents, isLess ? null : surplus, now);
    if (surplus === null) return;
    const charged = { cents: String((known ?? 0) - surplus) };
    if (isLess) await this.state.noteFindings([finding(registrar, '', 'charged', charged)], now);
    await this.state.endFindings(registrar, ['balance'], now);
  }
}

function isAnswered(price: Outcome<unknown>): boolean {
  return price.is === 'done' || (price.is === 'refused' && !NOT_NOW.includes(price.reason));
}

function isOlder(at: Date | null, ms: number, now: Date): boolean {
  return at === null || now.getTime() - at.getTime() >= ms;
}
