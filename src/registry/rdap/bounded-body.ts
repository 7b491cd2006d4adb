/**
 * The body as text, read no further than the limit; the limit counts unpacked bytes, so a compressed bomb stops there too.
 *
 * @returns null when the body is larger
 * @throws when it is cut off
 */
export async function readBoundedBody(response: Response, maxBytes: number): Promise<string | null> {
  if (!response.body) return '';
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the stream.
  for await (const part of response.body as AsyncIterable<Uint8Array>) {
    size += part.byteLength;
    if (size > maxBytes) return null;
    parts.push(part);
  }
  // fetch unpacks a cut-off stream to nothing without a word; an empty "not found" would then be one that nobody sent.
  if (size === 0 && response.headers.has('content-encoding'))
    throw new Error('a packed body that holds nothing');
  return new TextDecoder().decode(Buffer.concat(parts));
}
