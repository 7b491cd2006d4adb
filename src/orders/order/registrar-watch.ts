import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database } from '../../db/database.js';
import type { NamedKind, Work, WorkResult } from '../../work/kind.js';
import { WorkQueue } from '../../work/work-queue.js';
import { OrderingStops } from '../ledger/ordering-stops.repository.js';
import { type Registrar, type RegistrarMessage, REGISTRARS, type Registrars } from '../registrar/port.js';
import { OrderRepository } from './order.repository.js';

/** Reads the registrars' messages, which settle pending orders, and ends a stop for funds once there are enough. */
@Injectable()
export class RegistrarWatch implements NamedKind {
  readonly name = 'registrar-watch';
  readonly everyMs = 60_000;
  readonly deadlineMs = 120_000;
  private readonly logger = new Logger('Orders');

  constructor(
    private readonly database: Database,
    private readonly stops: OrderingStops,
    private readonly orders: OrderRepository,
    private readonly queue: WorkQueue,
    @Inject(REGISTRARS) private readonly registrars: Registrars,
  ) {}

  async run(_work: Work, now: Date): Promise<WorkResult> {
    for (const registrar of this.registrars.all) {
      const polled = await registrar.poll((message) => this.take(message, now));
      if (polled.is === 'unknown') this.logger.warn(`${registrar.name} was not polled: ${polled.why}`);
    }
    const isShort = (await this.stops.list()).some(({ reason }) => reason === 'funds');
    if (isShort && (await this.haveFunds())) await this.stops.clear('funds');
    return {};
  }

  private async take({ clTRID, outcome }: RegistrarMessage, now: Date): Promise<void> {
    if (clTRID === null || outcome === null) return;
    await this.database.transaction(async (transaction) => {
      const order = await this.orders.noteMessage(clTRID, outcome, transaction);
      if (order !== null) await this.queue.wake(transaction, 'registration', [{ key: order }], now);
    });
  }

  private async haveFunds(): Promise<boolean> {
    const enough = await Promise.all(
      this.registrars.all.filter((one) => one.capabilities().hasBalance).map((one) => this.hasFunds(one)),
    );
    return enough.length > 0 && enough.every(Boolean);
  }

  private async hasFunds(registrar: Registrar): Promise<boolean> {
    const balance = await registrar.balance();
    return (
      balance.is === 'done' && balance.value.cents >= (await this.orders.readCostOfWaiting(registrar.name))
    );
  }
}
