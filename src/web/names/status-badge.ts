import type { Domain } from '../../domains/schema/domain.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import type { RegistryState } from '../../domains/schema/states.js';
import type { Sibling } from '../../registry/sibling.dto.js';

/** Words and colour of a name's badge: free, on its way (wait), gone or unknown. */
export const BADGES = {
  available: { words: 'Available', tone: 'free' },
  registered: { words: 'Registered', tone: 'gone' },
  rescued: { words: 'Rescued', tone: 'gone' },
  on_hold: { words: 'On hold', tone: 'wait' },
  about_to_be_purged: { words: 'Due to drop', tone: 'wait' },
  being_confirmed: { words: 'Being confirmed', tone: 'wait' },
  reserved: { words: 'Reserved', tone: 'unk' },
  restricted: { words: 'Restricted', tone: 'unk' },
  declined: { words: 'Declined by the registry', tone: 'unk' },
  unknown: { words: 'Check due', tone: 'unk' },
  never_asked: { words: 'Not checked', tone: 'unk' },
} as const;

export type Badge = keyof typeof BADGES;

/** The status of a name with its source. */
export interface NameStatus {
  readonly badge: Badge;
  /** Null for a status that we derived. */
  readonly saidBy: string | null;
  readonly saidAt: Date | null;
}

/** A cached answer of the registry. */
interface Answer {
  readonly state: RegistryState;
  readonly source: string;
  readonly checkedAt: Date;
}

type Row = Pick<Domain, 'state' | 'checkedAt' | 'confirmedBy' | 'registryState' | 'listedAt'>;

/**
 * @param answer the registry's last answer, if still cached
 * @param row of the dataset
 */
export function statusOf(name: DomainName, answer: Answer | null, row: Row | null): NameStatus {
  if (name.reserved) return { badge: 'reserved', saidBy: null, saidAt: null };
  if (answer && (!row?.checkedAt || answer.checkedAt > row.checkedAt))
    return { badge: badgeOfAnswer(answer.state), saidBy: answer.source, saidAt: answer.checkedAt };
  if (row) return statusOfRow(row);
  return { badge: name.rule ? 'restricted' : 'never_asked', saidBy: null, saidAt: null };
}

/** The status of a row of a list. */
export function statusOfRow(row: Row): NameStatus {
  const { checkedAt, confirmedBy, listedAt } = row;
  const badge = badgeOfRow(row);
  if (badge === 'about_to_be_purged') return { badge, saidBy: 'the drop list', saidAt: listedAt };
  if (badge === 'being_confirmed') return { badge, saidBy: null, saidAt: null };
  return { badge, saidBy: confirmedBy, saidAt: confirmedBy === null ? null : checkedAt };
}

function badgeOfRow({ state, registryState }: Row): Badge {
  switch (state) {
    case 'available':
      return 'available';
    case 'stale':
      return 'unknown';
    case 'listed':
      return 'about_to_be_purged';
    case 'purged':
      return 'being_confirmed';
    case 'taken':
      return registryState === 'expired_hold' ? 'on_hold' : 'registered';
    case 'rescued':
      return registryState === 'expired_hold' ? 'on_hold' : 'rescued';
    case 'unconfirmed':
      return registryState === null || registryState === 'available'
        ? 'never_asked'
        : badgeOfAnswer(registryState);
    default:
      return state satisfies never;
  }
}

/** The badge of the same label under another suffix. */
export function badgeOfSibling({ state, available, reason }: Sibling): Badge {
  if (state === null) return available === false || reason !== null ? 'restricted' : 'never_asked';
  switch (state) {
    case 'stale':
      return 'unknown';
    case 'listed':
      return 'about_to_be_purged';
    case 'purged':
      return 'being_confirmed';
    case 'taken':
      return 'registered';
    case 'rescued':
      return 'rescued';
    case 'unconfirmed':
      return 'never_asked';
    default:
      return badgeOfAnswer(state);
  }
}

/** The badge of a registry's answer. */
export function badgeOfAnswer(state: RegistryState): Badge {
  switch (state) {
    case 'available':
    case 'registered':
    case 'reserved':
    case 'declined':
      return state;
    case 'expired_hold':
      return 'on_hold';
    case 'pending_purge':
    case 'pending_delete':
      return 'about_to_be_purged';
    default:
      return state satisfies never;
  }
}
