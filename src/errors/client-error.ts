import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';
import type { ErrorBody } from './error.dto.js';

const MESSAGES: Partial<Record<ErrorCode, string>> = {
  headers_too_large: 'The headers are larger than this service reads (16 kB).',
  request_timeout: 'The request did not arrive in time.',
  bad_request: 'This is not a valid HTTP request.',
};

/**
 * Answers what Node could not read as HTTP, before any middleware exists, with the same body as every other failure.
 * For the server's `clientError` event.
 */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  // Somebody who has gone, or is being answered already, cannot be told anything more.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const code = codeOf(error);
  const id = randomUUID();
  const body: ErrorBody = {
    error: { code, message: MESSAGES[code] ?? ERROR_CODES[code].meaning, request_id: id },
  };
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${ERROR_CODES[code].status} ${code}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${id}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}

function codeOf({ code }: { code?: string }): ErrorCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'bad_request';
}
