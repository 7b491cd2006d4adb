/** A line as RFC 4180 has it, with the line end of Unix; null is an empty cell. */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  let line = '';
  for (const [place, cell] of cells.entries()) line += (place === 0 ? '' : ',') + textOf(cell);
  return `${line}\n`;
}

/** A cell. What a spreadsheet would take for a formula is text behind an apostrophe: callers and lists bring texts of their own. */
function textOf(cell: string | number | boolean | null): string {
  if (cell === null) return '';
  const text = typeof cell === 'string' ? withoutFormula(cell) : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Negative numbers among texts are none. */
export function withoutFormula(text: string): string {
  return /^[=+@\t\r]|^-(?![\d.]+$)/.test(text) ? `'${text}` : text;
}
