import { inflateSync } from 'node:zlib';

/** The lines of text of a PDF with one embedded font, by the table of the font that says what its glyphs mean. */
export function textOfPdf(pdf: Buffer): string {
  const streams = [...pdf.toString('latin1').matchAll(/stream\n([^]*?)\nendstream/g)].flatMap(
    ([, body = '']) => {
      try {
        return [inflateSync(Buffer.from(body, 'latin1')).toString('latin1')];
      } catch {
        return [];
      }
    },
  );
  const [, table = ''] = /beginbfrange\s+<0000> <[\da-f]+> \[([^\]]*)\]/.exec(streams.join('\n')) ?? [];
  const letters = [...table.matchAll(/<([\da-f ]+)>/g)].map(([, codes = '']) =>
    codes
      .split(' ')
      .map((code) => String.fromCharCode(parseInt(code, 16)))
      .join(''),
  );
  const runs = streams.flatMap((stream) => [...stream.matchAll(/\[(.*)\] TJ/g)]);
  const glyphsOf = (run: string) => run.match(/(?<=<[\da-f]*)[\da-f]{4}/g) ?? [];
  return runs
    .map(([, run = '']) =>
      glyphsOf(run)
        .map((glyph) => letters[parseInt(glyph, 16)] ?? '?')
        .join(''),
    )
    .join('\n');
}
