import 'reflect-metadata';
import { Command } from 'commander';
import { registerAccount, registerKeys } from './ops/cli/account.command.js';
import { registerApplyDiff } from './ops/cli/apply-diff.command.js';
import { registerBackup } from './ops/cli/backup.command.js';
import { registerDataset } from './ops/cli/dataset.command.js';
import { EXIT_AFTERWARDS, EXIT_FAILED } from './ops/cli/exit-codes.js';
import { registerExport } from './ops/cli/export.command.js';
import { registerImport } from './ops/cli/import.command.js';
import { registerJobs } from './ops/cli/jobs.command.js';
import { registerLists } from './ops/cli/lists.command.js';
import { hearOutput } from './ops/cli/output.js';
import { registerScore } from './ops/cli/score.command.js';
import { registerStatus } from './ops/cli/status.command.js';
import { registerWorker } from './ops/cli/worker.command.js';
import { registerWrites } from './ops/cli/writes.command.js';
import { VERSION } from './config/product.js';
import { messageOf } from './validation/unknown-values.js';

const program = new Command('bowerbird')
  .description("The operators' command line. It works beside a running service.")
  .addHelpText(
    'after',
    `
Exit code ${EXIT_FAILED}: it was not done; ${EXIT_AFTERWARDS}: something went wrong afterwards, such as printing the result.`,
  )
  .version(VERSION)
  .showHelpAfterError();
// Commands load what they work with when they are called: help and mistakes are answered before the service would be loaded.
registerImport(program);
registerLists(program);
registerStatus(program);
registerJobs(program);
registerDataset(program);
registerAccount(program);
registerBackup(program);
registerKeys(program);
registerExport(program);
registerApplyDiff(program);
registerScore(program);
registerWorker(program);
registerWrites(program);

hearOutput();
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = EXIT_FAILED;
}
