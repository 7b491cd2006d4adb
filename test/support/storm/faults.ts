import { createHash } from 'node:crypto';

/** What goes wrong at the registrar with the first creation of a name; each name says it, so that a restart changes nothing. */
export const STORM_FAULTS = {
  // Not executed, as far as anybody can tell: the registrar answers "no such name".
  lost: { share: 4, isSlow: true },
  failed: { share: 3, isSlow: true },
  ended: { share: 3, isSlow: true },
  /** Executed behind the second sending, which is refused with 2302: the name is ours. */
  ours: { share: 2, isSlow: true },
  /** The process ends before it executes, having executed, and having replied. */
  diesbefore: { share: 0, isSlow: true },
  diesduring: { share: 0, isSlow: false },
  diesafter: { share: 0, isSlow: false },
  // Executed, and the reply is lost, broken, late or odd.
  halved: { share: 8, isSlow: false },
  unsaid: { share: 8, isSlow: false },
  late: { share: 6, isSlow: false },
  /** Executed seconds after the connection was cut. */
  executedlate: { share: 4, isSlow: false },
  split: { share: 4, isSlow: false },
  merged: { share: 4, isSlow: false },
  pendingdone: { share: 8, isSlow: false },
  pendingrefused: { share: 6, isSlow: false },
  busy: { share: 6, isSlow: false },
  policy: { share: 6, isSlow: false },
  /** Another registrar's customer has it: 2302. */
  foreign: { share: 8, isSlow: false },
  // Nothing goes wrong with the creation. Its customer renews it soon after, or gives it back.
  renews: { share: 12, isSlow: false },
  givenback: { share: 12, isSlow: false },
  // Ordered while it is listed, and then purged or rescued.
  drops: { share: 8, isSlow: false },
  stays: { share: 4, isSlow: false },
} as const satisfies Record<string, { readonly share: number; readonly isSlow: boolean }>;

export type StormFault = keyof typeof STORM_FAULTS;
export const DEATHS = ['diesbefore', 'diesduring', 'diesafter'] as const satisfies readonly StormFault[];

/** Of these one order wants the name, at the registrar with EPP. */
const DEEDS: readonly (StormFault | null)[] = ['renews', 'givenback', 'drops', 'stays'];

/** A number from 0 to 1, the same for the same text. */
export function chance(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}

/** The longest that a registrar is late. */
export const MAX_LATE_MS = 5_000;
const FIRST_PENDING_MS = 1_000;

/** A pending name is decided within six seconds; also by a registrar that was started again. */
export function decideLater(
  sandbox: { decide(domain: string, outcome: 'done' | 'refused'): void },
  domain: string,
): 'pending' {
  const outcome = faultIn(domain) === 'pendingrefused' ? 'refused' : 'done';
  const inMs = FIRST_PENDING_MS + chance(`${domain} decided`) * MAX_LATE_MS;
  setTimeout(() => sandbox.decide(domain, outcome), inMs);
  return 'pending';
}

/** @param isEarly whether there is time for faults that take a quarter of an hour */
export function faultOfOrder(seed: string, isEarly: boolean): StormFault | null {
  let place = chance(`${seed} fault`) * TOTAL_SHARES;
  for (const [name, { share, isSlow }] of Object.entries(STORM_FAULTS)) {
    place -= share;
    if (place < 0) return isSlow && !isEarly ? null : (name as StormFault);
  }
  return null;
}

/** Of so many orders, `share` have the fault: one in three has one. */
const TOTAL_SHARES = 400;

/** Names under it go to the reseller API, which has a share of them. */
export const RESELLER_SUFFIX = 'net.au';
const RESELLER_EVERY = 8;

/** Every tenth order wants the name of the one before. */
const isWantedTwice = (order: number) => order % 10 === 8;

export function nameOf(order: number, wished: StormFault | null): string {
  const isAtReseller = order % RESELLER_EVERY === 1;
  const fault = DEEDS.includes(wished) && (isAtReseller || isWantedTwice(order)) ? null : wished;
  return `storm${fault === null ? '' : `-${fault}`}-${order}.${isAtReseller ? RESELLER_SUFFIX : 'com.au'}`;
}

/** What goes wrong with a renewal or a deletion, once. */
export function faultAfter(domain: string, command: string): 'cut_before' | 'cut_after' | 'dies' | undefined {
  const place = chance(`${domain} ${command}`);
  if (place < 0.15) return 'cut_before';
  if (place < 0.35) return 'cut_after';
  return place < 0.4 ? 'dies' : undefined;
}

export function faultIn(domain: string): StormFault | null {
  const [, text = ''] = /^storm-([a-z]+)-\d+\.(?:com|net)\.au$/.exec(domain) ?? [];
  return text in STORM_FAULTS ? (text as StormFault) : null;
}
