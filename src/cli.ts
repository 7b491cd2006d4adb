import 'reflect-metadata';
import { Command } from 'commander';
import { VERSION } from './config/product.js';
import { EXIT_AFTERWARDS, EXIT_FAILED } from './ops/command.js';
import { addCommands } from './ops/command-line.js';
import { messageOf } from './validation/unknown-values.js';

const program = new Command('bowerbird')
  .description("The operators' command line. It works beside a running service.")
  .addHelpText(
    'after',
    `
Exit code ${EXIT_FAILED}: it was not done; ${EXIT_AFTERWARDS}: a later step failed, such as printing the result.`,
  )
  .version(VERSION)
  .showHelpAfterError();
addCommands(program, async () => {
  const { runWorker } = await import('./app/worker.js');
  const { readOperatorConfig } = await import('./ops/local/database.js');
  await runWorker(await readOperatorConfig());
});

let isSaid = false;
// Without listeners, a failing stream would end the process with a stack trace, and leave a server running that the
// command started.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // `| head` closes the pipe early; that is no failure.
  if (code === 'EPIPE' || isSaid) return;
  isSaid = true;
  process.exitCode = EXIT_AFTERWARDS;
  process.stderr.write(`The result could not be written to standard output: ${message}\n`);
});
process.stderr.on('error', () => undefined);
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = EXIT_FAILED;
}
