/** What a registry may say about a name. `available` is the only one of them that can be registered now. */
export const REGISTRY_STATES = [
  'registered',
  /** Expired; the holder can still renew it. */
  'expired_hold',
  /** Expired and on its way out; nobody can save it. */
  'pending_purge',
  /** Deleted by its holder or by policy; may be restored until it is purged. */
  'pending_delete',
  'available',
  'reserved',
  /** The registry will not have the name, and says why; nothing is said of whether it is registered. */
  'declined',
] as const;
export type RegistryState = (typeof REGISTRY_STATES)[number];

/** What an answer amounts to: the name can be had, somebody holds it, or neither can be said. */
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
