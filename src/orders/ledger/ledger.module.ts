import { Logger, Module } from '@nestjs/common';
import { maintenance, WorkKinds } from '../../work/kind.js';
import { Ledger } from './ledger.repository.js';
import { OrderingStops } from './ordering-stops.repository.js';
import { SeenPlace } from './seen-place.js';

const PROVE_EVERY_MS = 24 * 3_600_000;
/** Differences that the stop names; the log has all. */
const MAX_NAMED = 3;

/** The money, and its proof: every night all balances are computed again, and a difference stops ordering. */
@Module({ providers: [Ledger, OrderingStops, SeenPlace], exports: [Ledger, OrderingStops, SeenPlace] })
export class LedgerModule {
  private readonly logger = new Logger('Ledger');

  constructor(
    private readonly ledger: Ledger,
    private readonly stops: OrderingStops,
    kinds: WorkKinds,
  ) {
    kinds.add(maintenance('ledger-proof', PROVE_EVERY_MS, (now) => this.prove(now)));
  }

  private async prove(now: Date): Promise<void> {
    const differences = await this.ledger.prove();
    if (differences.length === 0) return;
    const words = differences.map(({ account, words }) => `${account}: ${words}`);
    this.logger.error(`Ordering is stopped, since the ledger differs: ${words.join('. ')}`);
    await this.stops.stop('ledger', words.slice(0, MAX_NAMED).join('. '), now);
  }
}
