/** Most cents of AUD that a setting, a form or a command takes. */
export const MAX_CENTS = 100_000_000;

/** A line as RFC 4180 has it, with the line end of Unix; null is an empty cell. */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  let line = '';
  for (const [place, cell] of cells.entries()) line += (place === 0 ? '' : ',') + textOf(cell);
  return `${line}\n`;
}

/**
 * A cell. What a spreadsheet would take for a formula is text behind an apostrophe: callers and lists bring texts
 * of their own.
 */
function textOf(cell: string | number | boolean | null): string {
  if (cell === null) return '';
  const text = typeof cell === 'string' ? withoutFormula(cell) : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** In ISO 8601, UTC. */
export function timeOrNull(at: Date | null): string | null {
  return at && at.toISOString();
}

/** Negative numbers among texts are none. */
export function withoutFormula(text: string): string {
  return /^[=+@\t\r]|^-(?![\d.]+$)/.test(text) ? `'${text}` : text;
}

/**
 * Seconds that a Retry-After header asks to wait: RFC 9110 allows a number of seconds or a date. Callers set a
 * bound of their own: a number of four hundred digits is Infinity.
 *
 * @returns undefined without a usable value
 */
export function readRetryAfter(header: string | null | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  const moment = readHttpDate(text);
  return moment && Math.max(0, Math.ceil((moment.getTime() - now.getTime()) / 1000));
}

/** An HTTP date as RFC 9110 has it sent, such as `Fri, 20 Nov 2026 12:00:30 GMT`; undefined for anything else. */
export function readHttpDate(text: string): Date | undefined {
  // Date.parse reads much more than an HTTP date ("-5" is the year 2005), so the shape comes first.
  if (!/^[A-Z][a-z]{2,8}, .* GMT$/.test(text)) return undefined;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : new Date(moment);
}

/** Whether responses cannot be changed on their way: https, or http from this machine. No user, no white space. */
export function isHttpsOrLoopbackUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s@]+$/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'https:' || isLoopbackUrl(url);
}

/** Whether the address is one of this machine. Names are not resolved: only `localhost` counts. */
export function isLoopbackUrl({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

// Some proxies append a port to an address of X-Forwarded-For, and put IPv6 into brackets.
const WITH_PORT = /^(?:\[([\w:.%-]{2,64})\](?::\d{1,5})?|([\d.]{7,15}):\d{1,5})$/;

/** An address as a proxy has written it, without its port. */
export function withoutPort(address: string | undefined): string | undefined {
  const [, ipv6, ipv4] = WITH_PORT.exec(address ?? '') ?? [];
  return ipv6 ?? ipv4 ?? address;
}

/** A Markdown table; the first row holds the names of the columns. */
export function toMarkdown([head = [], ...rows]: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
