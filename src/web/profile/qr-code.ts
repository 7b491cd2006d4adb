/**
 * The text as a QR code for a camera: an SVG of 1.2 kB gzipped, dark on light whatever the page's colours.
 *
 * @param words what it is, for those who do not see it; ours, as they are not escaped
 */
export async function qrCode(text: string, words: string): Promise<string> {
  const { encodeQR } = await import('qr');
  const picture = encodeQR(text, 'svg', { ecc: 'medium' });
  return picture.replace('<svg ', `<svg class="qr" role="img" aria-label="${words}" `);
}
