import type { Response } from 'express';
import { hasCode } from '../../validation/unknown-values.js';
import { ApiError } from '../../errors/api-error.js';
import { type ExportedFile, FORMATS } from '../export.js';

/** Nothing ever changes at its address; only who may fetch it may keep it. */
const CACHE_CONTROL = 'private, max-age=86400, immutable';

/**
 * Sends a file as Express does: with Range, If-Range, If-None-Match and HEAD. Ends when it is sent, or the caller has gone.
 *
 * @throws {ApiError} not_found, range_not_satisfiable
 */
export async function sendExportedFile(
  response: Response,
  folder: string,
  id: string,
  { name, format, bytes, sha256 }: ExportedFile,
  madeAt: Date,
): Promise<void> {
  response.set({
    // Not `Content-Encoding: gzip`: what is kept is the file, as the manifest has its sum.
    'Content-Type': FORMATS[format],
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': CACHE_CONTROL,
    ETag: `"${sha256}"`,
    // Not the time of the file, which another instance's disk may have otherwise.
    'Last-Modified': madeAt.toUTCString(),
  });
  try {
    await new Promise<void>((resolve, reject) => {
      response.sendFile(`${id}/${name}`, { root: folder, cacheControl: false }, (error?: Error) => {
        if (!error || hasCode(error, 'ECONNABORTED') || hasCode(error, 'EPIPE')) resolve();
        else reject(error);
      });
    });
  } catch (error) {
    if (response.headersSent) throw error;
    for (const header of ['Content-Disposition', 'Cache-Control', 'ETag', 'Last-Modified'])
      response.removeHeader(header);
    throw problemOf(error, bytes);
  }
}

function problemOf(error: unknown, bytes: number): unknown {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (status === 416)
    return new ApiError(
      'range_not_satisfiable',
      `The file has ${bytes} bytes, and the range begins behind them.`,
      {
        headers: { 'Content-Range': `bytes */${bytes}` },
      },
    );
  if (status === 404)
    return new ApiError(
      'not_found',
      'The file is not here any more; GET /api/v1/exports lists those there are.',
      {
        cause: error,
      },
    );
  return error;
}
