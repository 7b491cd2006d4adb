import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsInt, IsNumber, Max, Min, ValidateBy } from 'class-validator';
import { isIP } from 'node:net';

/** Both bounds included. Whatever is wrong with the value, the message is the whole rule. */
export function IsIntegerFrom(min: number, max: number): PropertyDecorator {
  return isNumeric(IsInt, min, max, `$property must be an integer from ${min} to ${max}`);
}

/** The same for numbers that need not be whole. */
export function IsNumberFrom(min: number, max: number): PropertyDecorator {
  const isNumber = (rule: { message: string }) => IsNumber({}, rule);
  return isNumeric(isNumber, min, max, `$property must be a number from ${min} to ${max}`);
}

function isNumeric(
  isOfKind: (rule: { message: string }) => PropertyDecorator,
  min: number,
  max: number,
  message: string,
): PropertyDecorator {
  return applyDecorators(
    Type(() => Number),
    isOfKind({ message }),
    Min(min, { message }),
    Max(max, { message }),
  );
}

/** What a server can listen on and what can stand in the address of a page. */
export function IsHost(): PropertyDecorator {
  return satisfies('must be an IP address or a host name', isHost);
}

/** `off`, or host:port. */
export function IsOffOrHostPort(): PropertyDecorator {
  return satisfies('must be off or host:port, with a port from 1 to 65535', isOffOrHostPort);
}

function satisfies(rule: string, judge: (text: string) => boolean): PropertyDecorator {
  const validate = (value: unknown) => typeof value === 'string' && judge(value);
  return ValidateBy({ name: judge.name, validator: { validate, defaultMessage: () => `$property ${rule}` } });
}

function isHost(text: string): boolean {
  if (isIP(text) !== 0) return true;
  // A URL takes `1.2` for the address 1.0.0.2 and refuses `999.1.1.1`: such names would lead elsewhere or nowhere.
  const address = `http://${text}`;
  return (
    /^[\w-]+(\.[\w-]+)*$/.test(text) &&
    URL.canParse(address) &&
    new URL(address).hostname === text.toLowerCase()
  );
}

function isOffOrHostPort(text: string): boolean {
  if (text === 'off') return true;
  const [, port] = /^[A-Za-z0-9.-]+:(\d{1,5})$/.exec(text) ?? [];
  return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
}
