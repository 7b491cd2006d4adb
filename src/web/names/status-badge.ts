import type { Domain } from '../../domains/schema/domain.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import { BADGE_OF_STATE, REGISTRY_STATES, type RegistryState } from '../../domains/schema/states.js';
import { t } from '../../texts/texts.js';
import type { LoggedAnswer } from '../../registry/answer-log.repository.js';
import type { Sibling } from '../../registry/sibling.dto.js';

/** Colours of a name's badges: free, on its way (wait), gone or unknown. */
const TONES = {
  available: 'free',
  registered: 'gone',
  rescued: 'gone',
  on_hold: 'wait',
  about_to_be_purged: 'wait',
  delisted: 'gone',
  being_confirmed: 'wait',
  reserved: 'unk',
  restricted: 'unk',
  declined: 'unk',
  unknown: 'unk',
  never_asked: 'unk',
  no_answer: 'unk',
} as const satisfies Record<keyof typeof t.badges, string>;

export type Badge = keyof typeof TONES;
type Chip = { readonly words: string; readonly tone: (typeof TONES)[Badge] };

/** The next step for a name that is not free. */
export type Act = 'check' | 'watch' | 'view';
const TO_CHECK: readonly Badge[] = ['unknown', 'never_asked', 'no_answer'];

export function actOf(badge: Badge, hasAccounts: boolean): Act {
  if (TO_CHECK.includes(badge)) return 'check';
  return hasAccounts && ['wait', 'gone'].includes(TONES[badge]) ? 'watch' : 'view';
}

/** Words and colour of a name's badge. */
export const BADGES = Object.fromEntries(
  Object.entries(TONES).map(([badge, tone]) => [badge, { words: t.badges[badge as Badge], tone }]),
) as Readonly<Record<Badge, Chip>>;

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
function statusOf(name: DomainName, answer: Answer | null, row: Row | null): NameStatus {
  if (name.reserved) return { badge: 'reserved', saidBy: null, saidAt: null };
  if (answer && (!row?.checkedAt || answer.checkedAt > row.checkedAt))
    return { badge: BADGE_OF_STATE[answer.state], saidBy: answer.source, saidAt: answer.checkedAt };
  if (row) return statusOfRow(row);
  return { badge: name.rule ? 'restricted' : 'never_asked', saidBy: null, saidAt: null };
}

/** The same with the last answer that is kept: one that is too old to be reused is one all the same. */
export function statusOfKnown(
  name: DomainName,
  answer: Answer | null,
  row: Row | null,
  kept: LoggedAnswer | undefined,
  now: Date,
): NameStatus {
  const status = statusOf(name, answer, row);
  return kept && status.badge === 'never_asked' ? statusOfKept(kept, now) : status;
}

export function statusOfRow(row: Row): NameStatus {
  const { checkedAt, confirmedBy, listedAt } = row;
  const badge = badgeOfRow(row);
  if (badge === 'about_to_be_purged') return { badge, saidBy: t.names.dropList, saidAt: listedAt };
  if (badge === 'being_confirmed' || badge === 'delisted') return { badge, saidBy: null, saidAt: null };
  const isSaid = confirmedBy !== null || badge === 'unknown';
  return { badge, saidBy: confirmedBy, saidAt: isSaid ? checkedAt : null };
}

/** How long an answer that a name is on its way out says so. */
const MAX_PENDING_MS = 86_400_000;

/** The status by a kept answer that is too old to be reused: a free or leaving name may be taken by now. */
export function statusOfKept(answer: LoggedAnswer, now: Date): NameStatus {
  const { source: saidBy } = answer;
  const saidAt = saidAtOf(answer);
  const state = stateOf(answer);
  if (!state) return { badge: 'no_answer', saidBy, saidAt };
  const badge = BADGE_OF_STATE[state];
  const isOver = badge === 'about_to_be_purged' && now.getTime() - saidAt.getTime() > MAX_PENDING_MS;
  return { badge: badge === 'available' || isOver ? 'unknown' : badge, saidBy, saidAt };
}

/** What a kept answer said that the name is; undefined where it did not say. */
export function stateOf({ verdict }: LoggedAnswer): RegistryState | undefined {
  return REGISTRY_STATES.find((one) => one === verdict);
}

/** When it was said: before it was asked, where a cache in between had kept it. */
export function saidAtOf({ askedAt, ageSeconds }: LoggedAnswer): Date {
  return new Date(askedAt.getTime() - (ageSeconds ?? 0) * 1000);
}

function badgeOfRow({ state, registryState, checkedAt }: Row): Badge {
  const isGone = state === 'taken' || state === 'rescued';
  if (isGone && registryState === 'expired_hold') return 'on_hold';
  const isOpen = registryState === null || registryState === 'available';
  // Of two answers that make it free, the first may be there.
  if (state === 'unconfirmed' && isOpen) return checkedAt === null ? 'never_asked' : 'unknown';
  return BADGE_OF_STATE[state !== 'unconfirmed' || isOpen ? state : registryState];
}

/** The badge of the same label under another suffix. */
export function badgeOfSibling({ state, available, reason }: Sibling): Badge {
  if (state === null) return available === false || reason !== null ? 'restricted' : 'never_asked';
  return BADGE_OF_STATE[state];
}
