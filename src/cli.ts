import 'reflect-metadata';
import { Command } from 'commander';
import { registerAccount } from './cli/account.command.js';
import { registerGenerateNames } from './cli/generate-names.command.js';
import { registerImport } from './cli/import.command.js';
import { registerWorker } from './cli/worker.command.js';

const program = new Command('bowerbird')
  .description("The operators' command line. It works beside a running service.")
  .showHelpAfterError();
registerImport(program);
registerGenerateNames(program);
registerAccount(program);
registerWorker(program);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
