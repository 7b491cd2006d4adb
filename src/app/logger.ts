import type { LoggerService } from '@nestjs/common';
import type { Request, RequestHandler } from 'express';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { AddressDigest } from '../access/caller.js';
import { decodeAscii, holdsApiKey, maskApiKeys } from '../access/api-key.js';
import { isObject } from '../validation/unknown-values.js';

/**
 * One JSON line an event, on standard output. Headers, queries and addresses themselves are never logged; should
 * a key end in a line all the same (in a path, in the text of an error), it is masked.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: undefined,
    hooks: { streamWrite: maskApiKeys },
    serializers: { path: (path: unknown) => (typeof path === 'string' ? legible(path) : path) },
  };
  return pino(options, destination ?? standardOutput());
}

/**
 * Writes once in a turn of the event loop: the lines of requests that are answered together are one call to the
 * system.
 */
function standardOutput(): DestinationStream {
  const output = pino.destination({ sync: true });
  let lines = '';
  const write = () => {
    if (lines !== '') output.write(lines);
    lines = '';
  };
  // Also when the process ends in the middle of a tick, except by SIGKILL.
  process.once('exit', write);
  return {
    write(line) {
      if (lines === '') setImmediate(write);
      lines += line;
    },
  };
}

// Nest's lines about its wiring help only its developers.
const WIRING = ['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication'];

/** Lets everything that logs through Nest's Logger come out of pino. */
export class AppLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(WIRING.includes(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  // Nest passes the context last; error() may pass a stack before it.
  private write(
    level: 'info' | 'error' | 'warn' | 'debug' | 'fatal',
    message: unknown,
    rest: unknown[],
  ): void {
    const context = rest.at(-1);
    const fields = { context, ...(rest.length > 1 && { stack: rest[0] }) };
    if (message instanceof Error) this.logger[level]({ ...fields, err: message });
    else if (isObject(message)) this.logger[level]({ ...fields, ...message });
    else this.logger[level](fields, String(message));
  }
}

/** One line a request: method, path without the query (it may hold a key or a name), status, time, and who asked. */
export function requestLogger(logger: Logger, addresses: AddressDigest): RequestHandler {
  return (request, response, next) => {
    const startMs = performance.now();
    const path = pathOf(request);
    // A connection that has broken has no address any more.
    const { ip } = request;
    // Also when the caller hangs up, or the answer breaks off.
    if (!PROBES.includes(path))
      response.once('close', () => {
        const { statusCode: status, writableFinished } = response;
        const line = {
          request_id: request.requestId,
          req: { method: request.method, path: legible(path) },
          res: { status },
          responseTime: Math.round(performance.now() - startMs),
          caller: { address: addresses.of(ip), ...callerOf(request) },
        };
        if (status >= 500) logger.warn(line, 'request errored');
        else logger.info(line, writableFinished ? 'request completed' : 'request aborted');
      });
    next();
  };
}

/**
 * Enough to follow abuse by, and not to know a person: the key's id and not the key, and a digest of the address
 * that changes daily.
 */
function callerOf({ caller }: Partial<Pick<Request, 'caller'>>): object {
  return {
    ...(caller && { tier: caller.tier.name }),
    ...(caller?.key && { account: caller.key.accountId, key: caller.key.id }),
  };
}

const PROBES = ['/livez', '/readyz'];

function pathOf({ originalUrl }: Request): string {
  const end = originalUrl.indexOf('?');
  return end === -1 ? originalUrl : originalUrl.slice(0, end);
}

// A key that was percent-encoded would not be seen by what masks keys.
function legible(path: string): string {
  const decoded = decodeAscii(path);
  return holdsApiKey(decoded) ? decoded : path;
}
