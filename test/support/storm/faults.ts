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
} as const satisfies Record<string, { readonly share: number; readonly isSlow: boolean }>;

export type StormFault = keyof typeof STORM_FAULTS;
export const DEATHS = ['diesbefore', 'diesduring', 'diesafter'] as const satisfies readonly StormFault[];

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

/** Of so many orders, `share` have the fault: one in five has one. */
const TOTAL_SHARES = 400;

/** Names under it go to the reseller API, which has a share of them. */
export const RESELLER_SUFFIX = 'net.au';
const RESELLER_EVERY = 8;

export const nameOf = (order: number, fault: StormFault | null): string =>
  `storm${fault === null ? '' : `-${fault}`}-${order}.${order % RESELLER_EVERY === 1 ? RESELLER_SUFFIX : 'com.au'}`;

export function faultIn(domain: string): StormFault | null {
  const [, text = ''] = /^storm-([a-z]+)-\d+\.(?:com|net)\.au$/.exec(domain) ?? [];
  return text in STORM_FAULTS ? (text as StormFault) : null;
}
