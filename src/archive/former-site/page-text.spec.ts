import fc from 'fast-check';
import { MAX_TEXT, MAX_TITLE, readPage } from './page-text.js';

const read = (html: string, type: string | null = null) => readPage(Buffer.from(html), type);

describe('readPage', () => {
  it('reads the title and what a visitor saw', () => {
    const html = `<!DOCTYPE html><html><head><title>Slow Coffee &amp; Co</title><style>p { x: y }</style>
      <script>if (a < b) document.write("<p>no</p>")</script></head>
      <body><!-- <p>no</p> --><h1>Hand<b>roasted</b></h1><p>In&nbsp;Hobart, 3 &lt; 4</p></body></html>`;
    expect(read(html)).toEqual({ title: 'Slow Coffee & Co', text: 'Handroasted In Hobart, 3 < 4' });
  });

  it.each([
    ['no end of a script', '<p>a</p><script>b', 'a'],
    ['no end of a tag', 'a <p', 'a'],
    ['no end of a comment', 'a <!-- b', 'a'],
    ['a lone bracket', '1 < 2', '1 < 2'],
    [
      'a tag out of entities stays text',
      '&lt;script&gt;alert(1)&lt;/script&gt;',
      '<script>alert(1)</script>',
    ],
    ['no character that turns text round', 'a\u202Eb\u0000c\u200Bd', 'a b c d'],
    ['no half of a character', '&#xD800;a&#0;b', 'a b'],
  ])('%s', (_, html, text) => {
    expect(read(html).text).toBe(text);
  });

  it('reads the encoding that a page names', () => {
    const body = Buffer.from('<meta charset="windows-1252"><title>Caf\xe9</title>', 'latin1');
    expect(readPage(body, null).title).toBe('Café');
    expect(readPage(Buffer.from('Caf\xe9', 'latin1'), 'text/html; charset=ISO-8859-1').text).toBe('Café');
    expect(readPage(Buffer.from('Café'), 'text/html; charset=nonsense').text).toBe('Café');
  });

  it('is bounded, whatever a page holds', () => {
    const { title, text } = read(`<title>${'long '.repeat(500)}</title>${'😀'.repeat(5_000)}`);
    expect(title.length).toBeLessThanOrEqual(MAX_TITLE);
    expect(text.length).toBeLessThanOrEqual(MAX_TEXT);
    expect(() => encodeURIComponent(text)).not.toThrow();
    const piece = fc.constantFrom(
      '<',
      '>',
      '</',
      '<!--',
      '-->',
      'script',
      'title',
      '&#',
      ';',
      'x',
      '\u202e',
      ' ',
      '"',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const page = read(pieces.join(''));
        expect(`${page.title}${page.text}`).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(page.text.length).toBeLessThanOrEqual(MAX_TEXT);
      }),
    );
  });
});
