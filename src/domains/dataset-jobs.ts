import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../db/database.js';
import { withoutStatementTimeout } from '../db/open-database.js';
import type { Kind, Work, WorkResult } from '../work/kind.js';
import { DomainEventRepository } from './feed/domain-event.repository.js';
import { Freshness } from './freshness/freshness.js';
import { MAINTENANCE_EVERY_MS } from './freshness/next-ask.js';
import { Lifecycle } from './lifecycle/lifecycle.js';
import { observeContradictions } from './lifecycle/listings/missed-answers.repository.js';
import { CubeCheck } from './search/cube/cube.repository.js';
import { filePending } from '../db/read-ahead.js';
import { SEARCH_INDEXES } from './schema/filters/score-bands.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The next run continues at once. */
const AT_ONCE: WorkResult = { againInMs: 0 };

/** Records that purges have passed: those names wait for their confirmation from then on. */
@Injectable()
export class PurgeJob implements Kind {
  /** Names in a run: their rows are locked until it commits. */
  static readonly MAX_NAMES = 500;
  readonly name = 'purge';
  readonly everyMs = 5_000;

  constructor(private readonly lifecycle: Lifecycle) {}

  async run(_work: Work, now: Date): Promise<WorkResult> {
    const { MAX_NAMES } = PurgeJob;
    return (await this.lifecycle.observePurges(now, MAX_NAMES)) === MAX_NAMES ? AT_ONCE : {};
  }
}

/** Takes names from offer whose last check is older than the operator allows. */
@Injectable()
export class StaleJob implements Kind {
  /** Names in a run: they leave the indexes of discovery, and their rows are locked until it commits. */
  static readonly MAX_NAMES = 200;
  readonly name = 'stale';
  readonly everyMs = MINUTE_MS;

  constructor(private readonly lifecycle: Lifecycle) {}

  async run(_work: Work, now: Date): Promise<WorkResult> {
    const { MAX_NAMES } = StaleJob;
    return (await this.lifecycle.observeStale(now, MAX_NAMES)) === MAX_NAMES ? AT_ONCE : {};
  }
}

/**
 * Takes names from offer that a registry has called unavailable, where the answer could not be written when it came: an
 * import held the row, or the server was too busy. The kept answers are the queue, so none is lost with a process.
 */
@Injectable()
export class MissedAnswerJob implements Kind {
  static readonly MAX_NAMES = 200;
  readonly name = 'missed-answers';
  /** Longest that a name stays on offer after a caller learned that it is registered. */
  readonly everyMs = 5_000;

  constructor(
    private readonly database: Database,
    private readonly lifecycle: Lifecycle,
  ) {}

  async run(): Promise<WorkResult> {
    const { MAX_NAMES } = MissedAnswerJob;
    // Names that the guard against a mistaken registry has kept stay on offer until the operator has decided.
    const { writesStoppedAt } = await this.lifecycle.readGuard();
    if (writesStoppedAt) return {};
    return (await observeContradictions(this.database, this.lifecycle, MAX_NAMES)) === MAX_NAMES
      ? AT_ONCE
      : {};
  }
}

/** Visits every name in turn, so that each name on offer has a time for its next check. */
@Injectable()
export class RecheckSweepJob implements Kind {
  /** 1,000 names every 5 s visit ten million in 14 hours. */
  static readonly MAX_NAMES = 1_000;
  /** From the end of one round to the next. */
  static readonly REST_MS = 15 * MINUTE_MS;
  readonly name = 'recheck-sweep';
  readonly everyMs = 5_000;

  constructor(private readonly lifecycle: Lifecycle) {}

  async run({ cursor }: Work): Promise<WorkResult> {
    const { next } = await this.lifecycle.scheduleRechecks(
      String(cursor?.after ?? ''),
      RecheckSweepJob.MAX_NAMES,
    );
    if (next === null) return { againInMs: RecheckSweepJob.REST_MS, cursor: { after: '' } };
    return { cursor: { after: next } };
  }
}

/** Moves the times of the next checks to where the rates and the available turns want them. */
@Injectable()
export class RecheckUpkeepJob implements Kind {
  readonly name = 'recheck-upkeep';
  readonly everyMs = MAINTENANCE_EVERY_MS;

  constructor(private readonly freshness: Freshness) {}

  async run({ cursor }: Work, now: Date): Promise<WorkResult> {
    return { cursor: { after: await this.freshness.keepUp(now, String(cursor?.after ?? '')) } };
  }
}

/** Files the grams of names that have come on offer; autovacuum would do so later. */
@Injectable()
export class GramFilingJob implements Kind {
  readonly name = 'gram-filing';
  readonly everyMs = MINUTE_MS;

  constructor(private readonly database: Database) {}

  async run(): Promise<WorkResult> {
    await withoutStatementTimeout(this.database, (source) => filePending(source, SEARCH_INDEXES));
    return {};
  }
}

/** Deletes events that are no longer kept. */
@Injectable()
export class EventPurgeJob implements Kind {
  static readonly MAX_EVENTS = 5_000;
  readonly name = 'event-purge';
  readonly everyMs = DAY_MS;

  constructor(private readonly events: DomainEventRepository) {}

  async run(_work: Work, now: Date): Promise<WorkResult> {
    const { MAX_EVENTS } = EventPurgeJob;
    return (await this.events.deleteOld(now, MAX_EVENTS)) === MAX_EVENTS ? AT_ONCE : {};
  }
}

/** Two in the morning in eastern Australia, as milliseconds of a day in UTC. */
const NIGHT_MS = 16 * 3_600_000;
/** Ten million names are read in ten seconds on a quiet machine. */
const STATEMENT_LIMIT_MS = 5 * MINUTE_MS;

/** Compares the counts of search and facets with the names every night, and recounts where they differ. */
@Injectable()
export class CubeCheckJob implements Kind {
  readonly name = 'cube-check';
  readonly everyMs = DAY_MS;
  readonly deadlineMs = 3 * STATEMENT_LIMIT_MS;
  private readonly logger = new Logger('Cube');

  constructor(private readonly check: CubeCheck) {}

  async run(_work: Work, now: Date): Promise<WorkResult> {
    const drift = await this.check.findDrift(STATEMENT_LIMIT_MS);
    if (drift) {
      this.logger.error(
        `The cube of counts is wrong in ${drift.cells} cells, by ${drift.names} names: a program has written to the ` +
          'table domain beside the service, or the service has an error. All names are counted again.',
      );
      await this.check.repair(STATEMENT_LIMIT_MS);
    }
    return { againInMs: DAY_MS - ((((now.getTime() - NIGHT_MS) % DAY_MS) + DAY_MS) % DAY_MS) };
  }
}
