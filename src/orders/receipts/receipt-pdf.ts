import { join } from 'node:path';
import { PROJECT_FOLDER } from '../../config/product.js';
import type { ReceiptView } from './receipt.js';

const FONT = join(PROJECT_FOLDER, 'assets/fonts/PublicSans-SemiBold.ttf');
const MARGIN = 56;
const LABELS = 150;
const SIZES = { title: 22, text: 10.5 };
const SOFT = '#5c5647';
const INK = '#221f17';

/** One page of A4. The same document has the same bytes. @param at its date */
export async function drawReceipt({ heading, facts, sums, notes }: ReceiptView, at: Date): Promise<Buffer> {
  // Loaded when first needed: with its fonts it takes longer than most requests.
  const { default: Document } = await import('pdfkit');
  const pdf = new Document({
    ...{ size: 'A4', margin: MARGIN, font: FONT, lang: 'en-AU', displayTitle: true },
    info: { Title: heading, CreationDate: at, ModDate: at, Producer: 'Bowerbird', Creator: 'Bowerbird' },
  });
  const chunks: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(Buffer.concat(chunks)));
    pdf.on('error', reject);
  });
  const width = pdf.page.width - 2 * MARGIN;
  const rows = (lines: ReceiptView['facts']) => {
    for (const [label, value] of lines) {
      const top = pdf.y;
      pdf.fillColor(SOFT).text(label, MARGIN, top, { width: LABELS - 10 });
      const under = pdf.y;
      pdf.fillColor(INK).text(value, MARGIN + LABELS, top, { width: width - LABELS });
      pdf.y = Math.max(pdf.y, under) + 6;
    }
  };
  const rule = () => {
    pdf.moveDown();
    pdf
      .strokeColor(SOFT)
      .lineWidth(0.5)
      .moveTo(MARGIN, pdf.y)
      .lineTo(MARGIN + width, pdf.y)
      .stroke();
    pdf.moveDown();
  };
  pdf.fontSize(SIZES.title).fillColor(INK).text(heading);
  pdf.moveDown().fontSize(SIZES.text);
  rows(facts);
  rule();
  rows(sums);
  rule();
  for (const note of notes) pdf.fillColor(SOFT).text(note, MARGIN, pdf.y, { width }).moveDown(0.5);
  pdf.end();
  return done;
}
