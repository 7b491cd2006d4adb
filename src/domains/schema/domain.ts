import type { ListKind } from '../../config/product.js';
import type { RegistryState, DomainState } from './states.js';

/** The suffixes served, as the specification lists them. */
export const SUFFIXES = ['com.au', 'net.au', 'org.au', 'id.au', 'asn.au', 'au'] as const;
export type Suffix = (typeof SUFFIXES)[number];

/** The part of a name before its suffix. */
export function labelOf(domain: string): string {
  return domain.slice(0, domain.indexOf('.'));
}

/** How many characters a label has, by auDA's rules. */
export const LABEL_LENGTH = { min: 2, max: 63 } as const;

/** The largest archive score that a row can have: the column is a 4-byte integer. */
export const MAX_WAYBACK = 2_147_483_647;

/** How the searched text must lie in the label. */
export const MATCH_MODES = ['contains', 'prefix', 'suffix'] as const;
export type MatchMode = (typeof MATCH_MODES)[number];

/** State of the archive lookup: not made, no captures, captures, or failed. */
export const ARCHIVE_STATES = ['pending', 'none', 'ok', 'error'] as const;
export type ArchiveState = (typeof ARCHIVE_STATES)[number];

/** As much of a row as it takes to offer its name. */
export type Offer = Pick<
  Domain,
  'domain' | 'tld' | 'length' | 'wayback' | 'firstSeen' | 'available' | 'checkedAt' | 'confirmedBy'
>;

/** One row of the dataset, as every feature sees it. Files have its times as text. */
export interface Domain<Time = Date> {
  readonly domain: string;
  readonly name: string;
  readonly tld: Suffix;
  /** Characters of the label, suffix not counted. */
  readonly length: number;
  readonly hyphens: number;
  readonly digits: number;
  readonly wayback: number;
  readonly archive: {
    readonly status: ArchiveState;
    readonly firstCapture: string | null;
    readonly lastCapture: string | null;
    readonly captures: number | null;
  };
  /** YYYY-MM-DD, or null when it is not known. */
  readonly firstSeen: string | null;
  readonly state: DomainState;
  /** When the drop was confirmed; null before it was. */
  readonly droppedAt: Time | null;
  /** Exactly when the state is `available`. */
  readonly available: boolean;
  readonly hidden: boolean;
  /** When the word was given that the state rests on; null while it rests on none. */
  readonly checkedAt: Time | null;
  /** Whose word that is: `rdap`, `sandbox`, `availability_service`, or `vouched:` and a name. */
  readonly confirmedBy: string | null;
  /** What the registry said last. */
  readonly registryState: RegistryState | null;
  readonly listKind: ListKind | null;
  /** Address or file name of the list. */
  readonly listSource: string | null;
  readonly listedAt: Time | null;
  readonly purgeAt: Time | null;
}
