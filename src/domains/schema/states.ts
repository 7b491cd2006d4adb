import type { Texts } from '../../texts/texts.js';

/** The names of the states of a name in the dataset, in the order in which a name usually goes through them. */
export const STATE_NAMES = [
  'unconfirmed',
  'listed',
  'delisted',
  'purged',
  'available',
  'stale',
  'taken',
  'rescued',
] as const;
export type DomainState = (typeof STATE_NAMES)[number];

/** The states, and what each says of a name. */
export const DOMAIN_STATES: Readonly<Record<DomainState, string>> = {
  unconfirmed: 'Listed by somebody without evidence, or called neither free nor taken by the registry.',
  listed: 'On a drop list; its purge lies ahead.',
  delisted:
    'A revised drop list no longer has it: its holder has probably kept it. ' +
    'After its purge date the registry is asked.',
  purged: 'Its purge has passed; no registry has confirmed yet that it is free.',
  available:
    'Called free by a registry, or by a source that the operator vouches for. The only state that is offered.',
  stale: 'Was available, and has not been asked about for longer than the operator allows.',
  taken: 'Called registered by a registry, after it was free.',
  rescued: 'Called registered by a registry, and never dropped.',
};

/** Whether a name in that state is free to be registered now, as far as the dataset knows; null: it does not. */
export const FREE_TO_TAKE: Readonly<Record<DomainState, boolean | null>> = {
  available: true,
  // Until its purge it belongs to its holder.
  listed: false,
  delisted: false,
  taken: false,
  rescued: false,
  purged: null,
  unconfirmed: null,
  stale: null,
};

/** What a registry may say about a name. `available` is the only one of them that can be registered now. */
export const REGISTRY_STATES = [
  'registered',
  /** Expired; the holder can still renew it. */
  'expired_hold',
  /** Expired and about to be purged; it can no longer be renewed. */
  'pending_purge',
  /** Deleted by its holder or by policy; may be restored until it is purged. */
  'pending_delete',
  'available',
  'reserved',
  /** The registry will not have the name, and says why; nothing is said of whether it is registered. */
  'declined',
] as const;
export type RegistryState = (typeof REGISTRY_STATES)[number];

/** The words of a name (`t.badges`) by what it is in the dataset or at the registry. */
export const BADGE_OF_STATE = {
  available: 'available',
  stale: 'unknown',
  listed: 'about_to_be_purged',
  delisted: 'delisted',
  purged: 'being_confirmed',
  taken: 'registered',
  rescued: 'rescued',
  unconfirmed: 'never_asked',
  registered: 'registered',
  expired_hold: 'on_hold',
  pending_purge: 'about_to_be_purged',
  pending_delete: 'about_to_be_purged',
  reserved: 'reserved',
  declined: 'declined',
} as const satisfies Record<DomainState | RegistryState, keyof Texts['badges']>;

/** The service whose "Not Available" may also be said of a name that is about to drop. */
export const NAMES_NO_HOLDER = 'availability_service';

/** The meaning of an answer: the name is free, it is held, or neither can be said. */
export type Finding = 'free' | 'held' | 'neither';

export function findingOf(state: RegistryState): Finding {
  switch (state) {
    case 'available':
      return 'free';
    case 'registered':
    case 'expired_hold':
      return 'held';
    case 'pending_purge':
    case 'pending_delete':
    case 'reserved':
    case 'declined':
      return 'neither';
    default:
      return state satisfies never;
  }
}

/** Whether the name is on its way out, so that it being free later contradicts nothing. */
export function isPending(state: RegistryState | null): boolean {
  return state === 'pending_purge' || state === 'pending_delete';
}
