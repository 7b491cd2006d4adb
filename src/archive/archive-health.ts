import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { ArchiveQueue, type ArchiveQueueSize } from './archive-queue.repository.js';
import { ArchiveTurns } from './archive-turns.repository.js';

/** How scoring does, for the status page; null is not known, or not so. */
export interface ArchiveHealth {
  /** Whether names are scored at all (ARCHIVE_CDX_URL). */
  readonly isOn: boolean;
  readonly source: Config['archive']['source'];
  /** Until when the archive is left alone, and why; null when it is not. */
  readonly restingUntil: Date | null;
  readonly restReason: string | null;
  /** Questions without an answer since the last answer. */
  readonly failuresInRow: number;
  readonly lastAskedAt: Date | null;
  readonly lastAnsweredAt: Date | null;
  readonly queue: ArchiveQueueSize;
}

@Injectable()
export class ArchiveHealthReader {
  constructor(
    private readonly turns: ArchiveTurns,
    private readonly queue: ArchiveQueue,
    private readonly config: Config,
  ) {}

  async read(now: Date): Promise<ArchiveHealth> {
    const [state, queue] = await Promise.all([this.turns.read(), this.queue.size(now)]);
    const { restUntil, restReason, failuresInRow, lastAskedAt, lastAnsweredAt } = state;
    const isResting = restUntil !== null && restUntil > now;
    const { cdxUrl, source } = this.config.archive;
    return {
      isOn: cdxUrl !== undefined,
      source,
      restingUntil: isResting ? restUntil : null,
      restReason: isResting ? restReason : null,
      failuresInRow,
      lastAskedAt,
      lastAnsweredAt,
      queue,
    };
  }
}
