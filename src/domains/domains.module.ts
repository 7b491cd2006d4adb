import { Module } from '@nestjs/common';
import { DomainRepository } from './domain.repository.js';

@Module({ providers: [DomainRepository], exports: [DomainRepository] })
export class DomainsModule {}
