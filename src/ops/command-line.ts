import { Argument as Word, Command, InvalidArgumentError, Option } from 'commander';
import {
  type Argument,
  BY,
  type CommandEntry,
  optional,
  REASON,
  type RunWorker,
  type ServiceCommand,
} from './command.js';
import { COMMANDS } from './commands.js';

/** The first words of several commands. */
const GROUPS: Readonly<Record<string, string>> = {
  account: 'Accounts: look, set the tier, disable, remove.',
  dataset: 'Single names: look, hide, remove.',
  imports: 'Lists that were uploaded at /ops/v1.',
  jobs: 'Jobs of the dataset: look, pause, run.',
  keys: 'API keys: look, revoke.',
};

/**
 * Adds every command of the table to the program. A command loads its code when it is called: help and
 * mistakes are answered without loading the service.
 */
export function addCommands(program: Command, runWorker: RunWorker): void {
  for (const entry of Object.values<CommandEntry>(COMMANDS))
    if (entry.words !== null) add(program, entry.words, entry, runWorker);
}

function add(program: Command, words: string, entry: CommandEntry, runWorker: RunWorker): void {
  const command = commandAt(program, words.split(' '), 'replaced' in entry);
  const { summary, description } = entry;
  command.description(description === undefined ? `${summary}.` : `${summary}. ${description}`);
  const readers = Object.entries(entry.arguments ?? {}).map(([name, argument]) =>
    argument.isRequired ? addWord(command, name, argument) : addFlag(command, name, argument),
  );
  const action = 'action' in entry ? entry.action : undefined;
  if (action !== undefined) {
    readers.push(addFlag(command, 'by', optional(BY)));
    readers.push(addFlag(command, 'reason', REASON));
  }
  if ('help' in entry && entry.help !== undefined) command.addHelpText('after', entry.help);
  command.action(async () => {
    const values = Object.fromEntries(readers.map((read) => read()));
    if ('runHere' in entry) {
      if (entry.replaced)
        process.stderr.write(
          `\`${words}\` is now \`${entry.replaced.by}\`. The former name works until ${entry.replaced.until}.\n`,
        );
      await entry.runHere(values, runWorker);
    } else await runInService(entry, values);
  });
}

async function runInService(entry: ServiceCommand, given: Record<string, unknown>): Promise<void> {
  const { runCommand } = await import('./local/service.js');
  const { by, reason, ...values } = given;
  await runCommand(entry, values, { by: by as string | undefined, reason: reason as string | undefined });
}

/** The command of these words; the words before the last one are groups. */
function commandAt(program: Command, words: readonly string[], isHidden: boolean): Command {
  let place = program;
  for (const [depth, word] of words.entries()) {
    const isLast = depth === words.length - 1;
    const there = place.commands.find((one) => one.name() === word);
    if (there) place = there;
    else {
      place = place.command(word, { hidden: isLast && isHidden });
      if (!isLast) place.description(GROUPS[word] ?? '');
    }
  }
  return place;
}

type Reader = () => readonly [name: string, value: unknown];

function addWord(command: Command, name: string, argument: Argument): Reader {
  const { description, schema, commandLine } = argument;
  const word = new Word(`<${commandLine?.name ?? name}>`, description);
  if (schema.enum) word.choices(schema.enum);
  else word.argParser((text: string) => valueOf(argument, text));
  const place = command.registeredArguments.length;
  command.addArgument(word);
  return () => [name, command.processedArgs[place]];
}

function addFlag(command: Command, name: string, argument: Argument): Reader {
  const { description, schema, commandLine, isRequired } = argument;
  const text = (commandLine?.name ?? name).replaceAll('_', '-');
  const isSwitch = schema.type === 'boolean';
  const option = new Option(
    isSwitch ? `--${text}` : `--${text} <${schema.type === 'string' ? 'text' : 'number'}>`,
  );
  option.description = description;
  option.makeOptionMandatory(isRequired);
  const byDefault = commandLine?.default ?? schema.default;
  if (byDefault !== undefined) option.default(byDefault);
  if (schema.enum) option.choices(schema.enum);
  else if (!isSwitch) option.argParser((value: string) => valueOf(argument, value));
  command.addOption(option);
  return () => [name, command.opts()[option.attributeName()]];
}

function valueOf({ read, rule, commandLine }: Argument, text: string): unknown {
  const value = (commandLine?.read ?? read)(text.trim());
  if (value === undefined) throw new InvalidArgumentError(`It ${rule}.`);
  return value;
}
