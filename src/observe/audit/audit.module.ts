import { Module } from '@nestjs/common';
import { AccountDeeds } from './account-deeds.js';
import { AuditPurge } from './audit-purge.js';
import { AuditRepository } from './audit.repository.js';

/** Who changed what, and why. */
@Module({ providers: [AuditRepository, AccountDeeds, AuditPurge], exports: [AuditRepository, AccountDeeds] })
export class AuditModule {}
