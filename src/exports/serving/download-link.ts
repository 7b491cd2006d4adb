import { createHmac } from 'node:crypto';
import { isMadeWithAny } from '../../validation/proofs.js';

/** For how long a link is good. */
export const LINK_MS = 3_600_000;
const PURPOSE = 'bowerbird export link';
/** Seconds since 1970, and what proves that they are ours. */
const LINK = /^(\d{10})\.([\w-]{43})$/;

/** The value of `link` with which a file can be fetched without a key until the link ends. @param file id of the export and name */
export function writeLink(secret: string, file: string, endsAt: Date): string {
  const seconds = Math.floor(endsAt.getTime() / 1_000);
  return `${seconds}.${proofOf(secret, file, seconds).toString('base64url')}`;
}

/** Whether it is a link to this file that has not ended. */
export function isGoodLink(link: string, secrets: readonly string[], file: string, now: Date): boolean {
  const [, seconds, proof] = LINK.exec(link) ?? [];
  if (seconds === undefined || proof === undefined) return false;
  const shown = Buffer.from(proof, 'base64url');
  const isOurs = isMadeWithAny(shown, secrets, (secret) => proofOf(secret, file, Number(seconds)));
  return isOurs && now.getTime() < Number(seconds) * 1_000;
}

function proofOf(secret: string, file: string, seconds: number): Buffer {
  const key = createHmac('sha256', secret).update(PURPOSE).digest();
  return createHmac('sha256', key).update(`${seconds}\n${file}`).digest();
}
