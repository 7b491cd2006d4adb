import type { Response } from 'express';
import { createHmac } from 'node:crypto';
import { ApiError } from '../errors/api-error.js';
import { isMadeWithAny } from '../validation/proofs.js';
import { hasCode } from '../validation/unknown-values.js';
import { type ExportedFile, FORMATS } from './export.repository.js';

export const LINK_MS = 3_600_000;
/** The store knows no accounts, so this long after the end of one its address may still be opened. */
export const STORE_ADDRESS_SECONDS = 60;
const PURPOSE = 'bowerbird export link';
/** Seconds since 1970, the account that made it (none without accounts), and what proves that both are ours. */
const LINK = /^(\d{10})\.((?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})?)\.([\w-]{43})$/;

export interface LinkTarget {
  /** Id of the export and name of the file. */
  readonly file: string;
  /** Empty without accounts. */
  readonly accountId: string;
}

/** The value of `link` that downloads a file without a key until it expires. */
export function writeLink(secret: string, target: LinkTarget, endsAt: Date): string {
  const seconds = Math.floor(endsAt.getTime() / 1_000);
  return `${seconds}.${target.accountId}.${proofOf(secret, target, seconds).toString('base64url')}`;
}

/** The account behind a link to this file that has not ended; null if it is none. */
export function readLink(link: string, secrets: readonly string[], file: string, now: Date): string | null {
  const [, seconds, accountId, proof] = LINK.exec(link) ?? [];
  if (seconds === undefined || accountId === undefined || proof === undefined) return null;
  const shown = Buffer.from(proof, 'base64url');
  const target = { file, accountId };
  const isOurs = isMadeWithAny(shown, secrets, (secret) => proofOf(secret, target, Number(seconds)));
  return isOurs && now.getTime() < Number(seconds) * 1_000 ? accountId : null;
}

function proofOf(secret: string, { file, accountId }: LinkTarget, seconds: number): Buffer {
  const key = createHmac('sha256', secret).update(PURPOSE).digest();
  return createHmac('sha256', key).update(`${seconds}\n${accountId}\n${file}`).digest();
}

/** Nothing ever changes at its address; only who may fetch it may keep it. */
const CACHE_CONTROL = 'private, max-age=86400, immutable';

/**
 * Sends a file as Express does: with Range, If-Range, If-None-Match and HEAD. Ends when it is sent or the caller
 * disconnects.
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
    // Not `Content-Encoding: gzip`: clients keep the compressed file, whose checksum is in the manifest.
    'Content-Type': FORMATS[format],
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': CACHE_CONTROL,
    ETag: `"${sha256}"`,
    // Not the time of the file, which another instance's disk may have otherwise.
    'Last-Modified': madeAt.toUTCString(),
  });
  // The rest is the reader's time, and that of the disk.
  response.endWork?.();
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
