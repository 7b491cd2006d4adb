import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { VERSION } from '../config/product.js';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';
import type { ErrorBody } from './api-failures.decorator.js';
import { idOf } from './incoming.middleware.js';

const MESSAGES: Partial<Record<ErrorCode, string>> = {
  headers_too_large: 'The headers are larger than this service reads (16 kB).',
  request_timeout: 'The request did not arrive in time.',
  bad_request: 'This is not a valid HTTP request.',
};

/** For clients that read the answer and then hang up; the others do not keep the connection. */
const LINGER_MS = 2_000;

/**
 * Answers what Node could not read as HTTP, before any middleware exists, with the same body as every other failure.
 * For the server's `clientError` event.
 */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  // The client has gone, or is being answered already.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const code = codeOf(error);
  end(socket, failure(code, MESSAGES[code] ?? ERROR_CODES[code].meaning, randomUUID()));
}

/** Answers CONNECT, for which Node hands over the bare socket. For the server's `connect` event. */
export function answerConnect(request: IncomingMessage, socket: Socket): void {
  // Nothing else listens for errors of this socket, or reads its remaining bytes.
  socket.on('error', () => socket.destroy()).resume();
  end(socket, failure('bad_request', 'CONNECT is for proxies, and this is none.', idOf(request)));
}

/** Answers a request that Express drops before any route: its target is not an address, such as `http://[`. */
export function answerUnrouted(request: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, text } = failure(
    'bad_request',
    'The target of the request is no address.',
    idOf(request),
  );
  response.writeHead(status, headers).end(text);
}

interface Failure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly text: string;
}

function failure(code: ErrorCode, message: string, id: string): Failure {
  const body: ErrorBody = { error: { code, message, request_id: id } };
  const text = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Request-Id': id,
    'API-Version': VERSION,
    Connection: 'close',
  };
  return { status: ERROR_CODES[code].status, headers, text };
}

function end(socket: Socket, { status, headers, text }: Failure): void {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields];
  socket.setTimeout(LINGER_MS, () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}

function codeOf({ code }: { code?: string }): ErrorCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'bad_request';
}
