import type { Response } from 'express';
import { createHash } from 'node:crypto';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A smaller body fits into one packet either way. */
const MIN_COMPRESSED_LENGTH = 1_024;
/** Of eleven: as small as gzip makes it, and faster. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const JSON_TYPE = 'application/json; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';

/**
 * Sends the return value of a controller: an object as JSON, a text as a page unless the controller sets another
 * type. A cacheable answer gets an ETag, and a request with that ETag gets 304. Long bodies are compressed.
 */
export function sendAnswer(response: Response, body: object | string): void {
  const { req: request } = response;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.setHeader('Content-Type', typeOf(response, body));
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && response.getHeader('Cache-Control') !== 'no-store') {
    response.setHeader('ETag', entityTagOf(text));
    if (request.fresh) {
      response.status(304).removeHeader('Content-Type');
      response.end();
      return;
    }
  }
  const encoding = encodingFor(response, text);
  if (!encoding) {
    response.setHeader('Content-Length', Buffer.byteLength(text)).end(text);
    return;
  }
  const send = (error: Error | null, packed: Buffer) => {
    if (error) response.destroy(error);
    else
      response.setHeader('Content-Encoding', encoding).setHeader('Content-Length', packed.length).end(packed);
  };
  if (encoding === 'br') brotliCompress(text, BROTLI, send);
  else gzip(text, send);
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

/** The ETag of an answer. Weak, because one answer has several encodings on the wire. */
export function entityTagOf(text: string): string {
  return `W/"${createHash('sha1').update(text).digest('base64url')}"`;
}
