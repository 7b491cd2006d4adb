import type { LoggerService } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type DestinationStream, type Logger, pino } from 'pino';
import { type HttpLogger, pinoHttp } from 'pino-http';
import { decodeAscii, holdsApiKey, maskApiKeys } from './auth/keys/api-key.js';
import { isObject } from './validation/is-object.js';

/**
 * One JSON line an event, on standard output. Headers, queries and addresses are never logged; should a key end in a
 * line all the same (in a path, in the text of an error), it is masked.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: undefined,
    hooks: { streamWrite: maskApiKeys },
    serializers: { path: (path: unknown) => (typeof path === 'string' ? legible(path) : path) },
  };
  return destination ? pino(options, destination) : pino(options);
}

// What Nest says of its own wiring at every start is of use to nobody but its developers.
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

/** One line a request: method, path without the query (it may hold a key or a name), status, time. */
export function requestLogger(logger: Logger): HttpLogger<Request, Response> {
  return pinoHttp<Request, Response>({
    genReqId: (request) => request.requestId,
    logger,
    wrapSerializers: false,
    serializers: {
      req: (request: Request) => ({ method: request.method, path: pathOf(request) }),
      res: (response: Response) => ({ status: response.statusCode }),
    },
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? 'warn' : 'info'),
    customAttributeKeys: { reqId: 'request_id' },
    // pino-http makes an error of its own for every 5xx; the real one is logged by the error filter.
    customErrorObject: (_request, _response, _error, fields: object) => ({ ...fields, err: undefined }),
    quietReqLogger: true,
    autoLogging: { ignore: (request) => PROBES.includes(pathOf(request)) },
  });
}

const PROBES = ['/livez', '/readyz'];

function pathOf(request: Request): string {
  const [path = ''] = request.originalUrl.split('?');
  return legible(path);
}

// A key that was percent-encoded would not be seen by what masks keys.
function legible(path: string): string {
  const decoded = decodeAscii(path);
  return holdsApiKey(decoded) ? decoded : path;
}
