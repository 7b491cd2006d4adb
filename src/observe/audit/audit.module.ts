import { Module } from '@nestjs/common';
import { AccountAuditLog } from './account-audit-log.js';
import { AuditPurge } from './audit-purge.js';
import { AuditRepository } from './audit.repository.js';

/** Who changed what, and why. */
@Module({
  providers: [AuditRepository, AccountAuditLog, AuditPurge],
  exports: [AuditRepository, AccountAuditLog],
})
export class AuditModule {}
