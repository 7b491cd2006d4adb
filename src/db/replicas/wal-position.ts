/** A place in the write-ahead log, as a number that grows. */
export type WalPosition = bigint;

const LSN = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/;
const LOW_BITS = 32n;

/** @param text as PostgreSQL writes it, such as 16/B374D848. @returns null when it is none */
export function parseWalPosition(text: string): WalPosition | null {
  const [, high, low] = LSN.exec(text) ?? [];
  return high !== undefined && low !== undefined
    ? (BigInt(`0x${high}`) << LOW_BITS) | BigInt(`0x${low}`)
    : null;
}

/** The same for what a server said of itself. */
export function readWalPosition(text: string | null): WalPosition {
  const position = text === null ? null : parseWalPosition(text);
  if (position === null) throw new Error(`the server says that it stands at ${text}`);
  return position;
}
