import { timingSafeEqual } from 'node:crypto';

/** Whether the bytes are equal, compared in constant time. */
export function isSame(shown: Buffer, known: Buffer): boolean {
  return shown.length === known.length && timingSafeEqual(shown, known);
}

/** Whether the proof was made with one of the secrets: the current one, or another that is still accepted. */
export function isMadeWithAny(
  shown: Buffer,
  secrets: readonly string[],
  proofOf: (secret: string) => Buffer,
): boolean {
  return secrets.some((secret) => isSame(shown, proofOf(secret)));
}
