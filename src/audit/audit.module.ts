import { Module } from '@nestjs/common';
import { AuditPurge } from './audit-purge.js';
import { AuditRepository } from './audit.repository.js';

/** Who changed what, and why. */
@Module({ providers: [AuditRepository, AuditPurge], exports: [AuditRepository] })
export class AuditModule {}
