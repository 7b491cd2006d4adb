/** A line as RFC 4180 has it, with the line end of Unix; null is an empty cell. */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  let line = '';
  for (const [place, cell] of cells.entries()) line += (place === 0 ? '' : ',') + textOf(cell);
  return `${line}\n`;
}

function textOf(cell: string | number | boolean | null): string {
  if (cell === null) return '';
  const text = String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
