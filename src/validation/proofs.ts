import { timingSafeEqual } from 'node:crypto';

/** Whether they are the same bytes; whoever is compared learns nothing of them by the time that takes. */
export function isSame(shown: Buffer, known: Buffer): boolean {
  return shown.length === known.length && timingSafeEqual(shown, known);
}

/** Whether what is shown was made with one of the secrets: the one of now, or one that is still accepted. */
export function isMadeWithAny(
  shown: Buffer,
  secrets: readonly string[],
  proofOf: (secret: string) => Buffer,
): boolean {
  return secrets.some((secret) => isSame(shown, proofOf(secret)));
}
