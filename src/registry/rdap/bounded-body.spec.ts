import { readBoundedBody } from './bounded-body.js';

const MOST = 8;

/** A body that comes in these parts, and whether the reader has left before its end. */
function partsOf(...parts: string[]): { body: ReadableStream; left: () => boolean } {
  let isLeft = false;
  const body = new ReadableStream({
    pull: (controller) => {
      const part = parts.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(part));
    },
    cancel: () => {
      isLeft = true;
    },
  });
  return { body, left: () => isLeft };
}

describe('readBoundedBody', () => {
  it.each([
    ['no body', null, ''],
    ['an empty one', '', ''],
    ['a short one', 'abc', 'abc'],
    ['one as long as the limit', 'x'.repeat(MOST), 'x'.repeat(MOST)],
    ['one that is longer', 'x'.repeat(MOST + 1), null],
    // The limit counts bytes.
    ['one that is longer in bytes', 'ä'.repeat(5), null],
    ['letters of two bytes', 'ääää', 'ääää'],
  ])('of %s', async (_what, body, text) => {
    expect(await readBoundedBody(new Response(body), MOST)).toBe(text);
  });

  it('puts parts together, also where they cut a letter in two', async () => {
    const { body } = partsOf('abc', 'def');
    expect(await readBoundedBody(new Response(body), MOST)).toBe('abcdef');
    const [first, second] = [Buffer.from('ä').subarray(0, 1), Buffer.from('ä').subarray(1)];
    const cut = new Response(ReadableStream.from([first, second]));
    expect(await readBoundedBody(cut, MOST)).toBe('ä');
  });

  it('leaves at the limit, and does not wait for the rest', async () => {
    const { body, left } = partsOf('12345', '6789', 'never read', 'nor this');
    expect(await readBoundedBody(new Response(body), MOST)).toBeNull();
    expect(left()).toBe(true);
  });

  it('takes a packed body that holds nothing for one that was cut off', async () => {
    const headers = { 'Content-Encoding': 'gzip' };
    await expect(readBoundedBody(new Response('', { headers }), MOST)).rejects.toThrow('holds nothing');
    expect(await readBoundedBody(new Response('abc', { headers }), MOST)).toBe('abc');
  });
});
