import { type Command, InvalidArgumentError } from 'commander';

const KEY_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/** `bowerbird status`, `bowerbird operator-key alice` */
export function registerStatus(program: Command): void {
  program
    .command('status')
    .description('Print how the service is: jobs, webhooks, accounts, and how true and fresh the dataset is.')
    .action(async () => (await import('./actions/status.action.js')).printStatus());
  program
    .command('operator-key')
    .description(
      'Make a key for /ops, and print it with what goes into OPERATOR_KEY_HASH. Nothing is kept here.',
    )
    .argument('<name>', 'whose key it is, as the audit log will name them', keyNameOf)
    .action(async (name: string) =>
      (await import('./actions/operator-key.action.js')).printOperatorKey(name),
    );
}

function keyNameOf(text: string): string {
  if (KEY_NAME.test(text)) return text;
  throw new InvalidArgumentError('A name is up to 40 letters, digits, dots, hyphens and underscores.');
}
