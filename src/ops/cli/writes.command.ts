import type { Command } from 'commander';
import { nameOf } from './order-flags.js';

interface WritesFlags {
  readonly resume?: boolean;
  readonly by?: string;
}

const MAX_LISTED = 10;

/** `bowerbird writes`, `bowerbird writes --resume` */
export function registerWrites(program: Command): void {
  program
    .command('writes')
    .description(
      `Print whether answers of the registry are written, and if not since when and why; and the last ${MAX_LISTED} times that they were resumed.`,
    )
    .option(
      '--resume',
      'let them be written again, when you have looked whether the registry can be believed',
    )
    .option('--by <name>', 'who resumes them, for the record; without it, the user of this process', nameOf)
    .action(async ({ resume = false, by }: WritesFlags) =>
      (await import('./actions/writes.action.js')).writes(resume, by, MAX_LISTED),
    );
}
