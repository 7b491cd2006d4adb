import type { Request } from 'express';
import type { Readable } from 'node:stream';
import { ApiError } from '../errors/api-error.js';
import { unknownParameter } from '../errors/validation.pipe.js';
import { type Arguments, type CommandEntry, REASON, type ServiceCommand } from './command.js';
import { COMMANDS } from './commands.js';
import { operatorOf } from './operator-access.js';
import type { OperatorServices } from './operators.module.js';

/** The commands that /ops/v1 and the pages have, by their operation ids. */
export const SERVED: ReadonlyMap<string, ServiceCommand> = new Map(
  Object.entries<CommandEntry>(COMMANDS).flatMap(([name, command]) =>
    'route' in command ? [[name, command] as const] : [],
  ),
);

/**
 * Runs a command for the operator of a request; a command that changes something needs a reason.
 *
 * @param given arguments as they were sent
 * @param body the file of a command that takes one
 * @throws {ApiError} invalid_parameter; scope_required for a key that may only look; what the command throws
 */
export async function perform(
  command: ServiceCommand,
  services: OperatorServices,
  given: Readonly<Record<string, unknown>>,
  request: Request,
  body: Readable = request,
): Promise<unknown> {
  const { action } = command;
  if (action === undefined) return show(command, services, given);
  const operator = operatorOf(request);
  const { reason, ...values } = readValues(command, given);
  const requestKey = command.makes === undefined ? undefined : request.get('Idempotency-Key');
  return command.run(services, values, { ...operator, reason: String(reason), action, requestKey }, body);
}

/** Runs a command that shows something. @throws {ApiError} invalid_parameter; what the command throws */
export async function show(
  command: ServiceCommand,
  services: OperatorServices,
  given: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  if (command.action !== undefined) throw new Error('a command that changes something needs its operator');
  return command.run(services, readValues(command, given));
}

export function argumentsOf({ arguments: own = {}, action }: ServiceCommand): Arguments {
  return action === undefined ? own : { ...own, reason: REASON };
}

/** @throws {ApiError} invalid_parameter */
function readValues(
  command: ServiceCommand,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const known = argumentsOf(command);
  const problems = Object.keys(given)
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => unknownParameter(name, new Set(Object.keys(known))));
  const values: Record<string, unknown> = {};
  for (const [name, argument] of Object.entries(known)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined && !argument.isRequired) values[name] = argument.schema.default;
    else if (Array.isArray(value)) problems.push(`${name} must be given once`);
    else if ((values[name] = argument.read(value)) === undefined) problems.push(`${name} ${argument.rule}`);
  }
  if (problems.length > 0) throw new ApiError('invalid_parameter', problems.slice(0, 5).join('; '));
  return values;
}
