import { Module } from '@nestjs/common';
import { AccountAuditLog } from './account-audit-log.js';
import { AuditRepository } from './audit.repository.js';

/** Who changed what, and why. */
@Module({
  providers: [AuditRepository, AccountAuditLog],
  exports: [AuditRepository, AccountAuditLog],
})
export class AuditModule {}
