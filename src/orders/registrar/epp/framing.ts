/** A frame is its length in four bytes, which count themselves, and its text in UTF-8 (RFC 5734). */
const HEAD_BYTES = 4;
/** Longest frame of either side; the replies of a registry have a few kilobytes. */
export const MAX_FRAME_BYTES = 1_048_576;

export function frameOf(text: string): Buffer {
  const body = Buffer.from(text, 'utf8');
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(HEAD_BYTES + body.length);
  return Buffer.concat([head, body]);
}

/** Puts frames together from what a connection brings: parts of frames, or several at once. */
export class FrameReader {
  private parts: Buffer[] = [];
  private size = 0;

  /**
   * @returns the frames that are whole now; null when what came is no frame, after which nothing that comes can be
   * understood
   */
  read(part: Buffer): string[] | null {
    this.parts.push(part);
    this.size += part.length;
    const frames: string[] = [];
    for (;;) {
      if (this.size < HEAD_BYTES) return frames;
      // Joined only once the frame is whole: a frame in single bytes would otherwise be copied for each.
      if ((this.parts[0]?.length ?? 0) < HEAD_BYTES) this.join();
      const length = this.parts[0]?.readUInt32BE() ?? 0;
      if (length <= HEAD_BYTES || length > MAX_FRAME_BYTES) return null;
      if (this.size < length) return frames;
      const bytes = this.join();
      const text = decode(bytes.subarray(HEAD_BYTES, length));
      if (text === null) return null;
      frames.push(text);
      this.parts = [bytes.subarray(length)];
      this.size -= length;
    }
  }

  private join(): Buffer {
    const bytes = Buffer.concat(this.parts);
    this.parts = [bytes];
    return bytes;
  }
}

function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
