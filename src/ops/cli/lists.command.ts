import type { Command } from 'commander';
import { EXIT_FAILED } from './exit-codes.js';

interface FetchFlags {
  acceptAlarms?: boolean;
}

/** `bowerbird lists`, `bowerbird lists fetch` */
export function registerLists(program: Command): void {
  const lists = program
    .command('lists')
    .description(
      'Print what was fetched of the official drop lists: of each address the last fetch, the last import, alarms.',
    )
    .action(async () => (await import('./actions/lists.action.js')).printLists());
  lists
    .command('fetch')
    .description('Fetch every list now, due or not.')
    .option('--accept-alarms', 'import a list in spite of an alarm, when you have looked at it')
    .addHelpText('after', `\nExit code ${EXIT_FAILED}: a list was not fetched, or was an alarm.`)
    .action(async ({ acceptAlarms = false }: FetchFlags) =>
      (await import('./actions/lists.action.js')).fetchLists(acceptAlarms),
    );
}
