import type { Response } from 'express';
import { ServerResponse } from 'node:http';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { assertMatches, entityTagOf } from '../errors/conditions.js';

/** A smaller body fits into one packet either way. */
const MIN_COMPRESSED_LENGTH = 1_024;
/** Of eleven: as small as gzip makes it, and faster. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
/** A longer answer is sent in pieces of this size. */
const PIECE_BYTES = 65_536;
const JSON_TYPE = 'application/json; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';

/**
 * Sends the return value of a controller: an object as JSON, a text as a page unless the controller sets another
 * type. A cacheable answer gets an ETag, and a request with that ETag gets 304. Long bodies are compressed.
 *
 * @throws {ApiError} bad_request with status 412, where If-Match names another version
 */
export function sendAnswer(response: Response, body: object | string): void {
  const { req: request } = response;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.setHeader('Content-Type', typeOf(response, body));
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && response.getHeader('Cache-Control') !== 'no-store') {
    const tag = entityTagOf(text);
    if (response.statusCode === 200) assertMatches(request.headers['if-match'], tag);
    response.setHeader('ETag', tag);
    if (request.fresh) {
      response.status(304).removeHeader('Content-Type');
      response.end();
      return;
    }
  }
  const encoding = encodingFor(response, text);
  if (!encoding) {
    const length = Buffer.byteLength(text);
    response.setHeader('Content-Length', length);
    if (length <= PIECE_BYTES) response.end(text);
    else sendPieces(response, Buffer.from(text), linesOf(response, text));
    return;
  }
  const send = (error: Error | null, packed: Buffer) => {
    if (error) response.destroy(error);
    if (response.destroyed) return;
    response.setHeader('Content-Encoding', encoding).setHeader('Content-Length', packed.length);
    sendPieces(response, packed);
  };
  // A page takes 0.1 ms; handing it to another thread costs as much again.
  if (text.length <= PIECE_BYTES)
    send(null, encoding === 'br' ? brotliCompressSync(text, BROTLI) : gzipSync(text));
  else if (encoding === 'br') brotliCompress(text, BROTLI, send);
  else gzip(text, send);
}

/**
 * Sends a long answer piece by piece, each when the kernel has taken the one before: a caller who hangs up pays for
 * the pieces taken.
 *
 * @param lines whose share counts instead of the share of bytes
 */
function sendPieces(response: Response, body: Buffer, lines = 0, from = 0): void {
  // The rest is the reader's time.
  response.endWork?.();
  response.awaitReader?.(body.length - from);
  const to = from + PIECE_BYTES;
  // Middleware that replaces it may not call back.
  const isPlain = response.write === ServerResponse.prototype.write;
  if (to >= body.length || !isPlain || response.req.method === 'HEAD') {
    response.end(from === 0 ? body : body.subarray(from));
    return;
  }
  response.write(body.subarray(from, to), (error) => {
    if (error || response.destroyed) return;
    response.takenShare = lines > 0 ? countLines(body.subarray(0, to)) / lines : to / body.length;
    sendPieces(response, body, lines, to);
  });
}

/** Of an answer in which each line but the first is a record; 0 for others. */
function linesOf(response: Response, text: string): number {
  return String(response.getHeader('Content-Type')).startsWith('text/csv')
    ? countLines(Buffer.from(text))
    : 0;
}

const NEWLINE = 10;

function countLines(text: Buffer): number {
  let lines = -1;
  for (let at = text.indexOf(NEWLINE); at !== -1; at = text.indexOf(NEWLINE, at + 1)) lines += 1;
  return Math.max(0, lines);
}

function typeOf(response: Response, body: object | string): string {
  const type = response.getHeader('Content-Type');
  if (typeof type !== 'string') return typeof body === 'string' ? HTML_TYPE : JSON_TYPE;
  return type.includes('charset=') ? type : `${type}; charset=utf-8`;
}

function encodingFor({ req: request }: Response, text: string): 'br' | 'gzip' | undefined {
  if (text.length < MIN_COMPRESSED_LENGTH || request.headers['accept-encoding'] === undefined)
    return undefined;
  const accepted = request.acceptsEncodings(['br', 'gzip', 'identity']);
  return accepted === 'br' || accepted === 'gzip' ? accepted : undefined;
}
