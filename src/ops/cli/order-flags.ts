import { type Command, InvalidArgumentError } from 'commander';

const MAX_NAME_LENGTH = 100;
const MAX_REASON_LENGTH = 500;

/** Who changes something, and why. */
export interface OrderFlags {
  readonly by?: string;
  readonly reason: string;
}

/** Gives a command that changes something the flags for the audit log. */
export function takesReason(command: Command): Command {
  return takesName(command).requiredOption('--reason <text>', 'why, for the audit log', reasonOf);
}

function takesName(command: Command): Command {
  return command.option(
    '--by <name>',
    'who, for the audit log; without it, the user of this process',
    nameOf,
  );
}

/** The name of somebody who answers for what is done. */
export function nameOf(text: string): string {
  if (text.trim() !== '' && text.length <= MAX_NAME_LENGTH) return text.trim();
  throw new InvalidArgumentError(`A name has 1 to ${MAX_NAME_LENGTH} characters.`);
}

function reasonOf(text: string): string {
  if (text.trim() !== '' && text.length <= MAX_REASON_LENGTH) return text.trim();
  throw new InvalidArgumentError(`A reason has 1 to ${MAX_REASON_LENGTH} characters.`);
}
