import { Module } from '@nestjs/common';
import { LedgerModule } from './ledger/ledger.module.js';

/** Registering names for customers; nothing of it exists with ORDERS=off. */
@Module({ imports: [LedgerModule] })
export class OrdersModule {}
