import { Module } from '@nestjs/common';
import { OperatorAttempts } from './access/attempt-limit.js';
import { OperatorGuard } from './access/operator.guard.js';
import { OperatorAccountsController } from './accounts/accounts.controller.js';
import { OperatorDatasetController } from './dataset/dataset.controller.js';
import { OperatorImportsController } from './imports/imports.controller.js';
import { OperatorJobsController } from './jobs/jobs.controller.js';
import { OperatorsModule } from './operators.module.js';
import { OperatorRecordsController } from './records/records.controller.js';
import { OperatorUsageController } from './usage/usage.controller.js';

/** /ops/v1; without OPERATOR_KEY_HASH none of it is there. */
@Module({
  imports: [OperatorsModule],
  controllers: [
    OperatorRecordsController,
    OperatorJobsController,
    OperatorImportsController,
    OperatorDatasetController,
    OperatorAccountsController,
    OperatorUsageController,
  ],
  providers: [OperatorAttempts, OperatorGuard],
})
export class OperatorsHttpModule {}
