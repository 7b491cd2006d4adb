import { ValidateBy } from 'class-validator';
import { isIP } from 'node:net';

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
