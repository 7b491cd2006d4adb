import { EXIT_AFTERWARDS } from './exit-codes.js';

/**
 * Hears what goes wrong with the two streams that every command writes to. Unheard, it would end the process at once: with a
 * stack trace, an exit code of its own, and a server left running that the command has started. Heard, the command ends as it
 * would have.
 */
export function hearOutput(): void {
  let isSaid = false;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // `| head` closes the pipe when it has seen enough; that is no failure.
    if (code === 'EPIPE' || isSaid) return;
    isSaid = true;
    process.exitCode = EXIT_AFTERWARDS;
    process.stderr.write(`The result could not be written to standard output: ${message}\n`);
  });
  // There is nowhere left to say so.
  process.stderr.on('error', () => undefined);
}
