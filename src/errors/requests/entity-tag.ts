import { createHash } from 'node:crypto';

/** The ETag of an answer. Weak, because one answer has several encodings on the wire. */
export function entityTagOf(text: string): string {
  return `W/"${createHash('sha1').update(text).digest('base64url')}"`;
}
