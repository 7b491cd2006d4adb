/**
 * The body as text, read no further than the limit; the limit counts unpacked bytes, so a compressed bomb stops there too.
 *
 * @returns null when the body is larger
 */
export async function readBoundedBody(response: Response, maxBytes: number): Promise<string | null> {
  if (!response.body) return '';
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the stream.
  for await (const part of response.body) {
    size += part.byteLength;
    if (size > maxBytes) return null;
    parts.push(part);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}
