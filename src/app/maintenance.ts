import { Injectable } from '@nestjs/common';
import { AuditRepository } from '../observe/audit.repository.js';
import { RequestCounts, WRITE_EVERY_MS } from '../observe/request-counts.js';
import { maintenance, WorkKinds } from '../work/kind.js';
import { ProcessTimers } from '../work/process-timers.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const AUDIT_DAYS = 365;

/** What the room `observe`, to which the engine may not be known, has done again and again. */
@Injectable()
export class ObserveMaintenance {
  constructor(
    private readonly audit: AuditRepository,
    counts: RequestCounts,
    kinds: WorkKinds,
    timers: ProcessTimers,
  ) {
    timers.every(WRITE_EVERY_MS, () => counts.write());
    kinds.add(
      maintenance('audit-purge', HOUR_MS, (now) => this.purgeAudit(now)),
      maintenance('request-count-purge', HOUR_MS, (now) => counts.deleteOld(now)),
    );
  }

  private async purgeAudit(now: Date): Promise<void> {
    await this.audit.deleteBefore(new Date(now.getTime() - AUDIT_DAYS * DAY_MS));
  }
}
