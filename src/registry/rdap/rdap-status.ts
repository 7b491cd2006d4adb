import type { RegistryState } from '../registry-lookup.js';

/** Longest list of statuses that is looked at; EPP defines fewer than thirty. */
const MAX_STATUSES = 100;

/**
 * The state that a domain object's `status` values stand for. An object that exists is registered unless a status says
 * more, so an unknown status changes nothing.
 *
 * The registry's `auData_statusReasons` are not consulted: their vocabulary is not published, so reading
 * them would be guessing.
 *
 * @returns null when the values contradict the object's existence ("available", "free")
 */
export function stateOfStatuses(values: readonly unknown[]): RegistryState | null {
  const statuses = new Set(values.slice(0, MAX_STATUSES).filter(isString).map(normalise));
  if (CONTRADICTIONS.some((status) => statuses.has(status))) return null;
  if (statuses.has('reserved')) return 'reserved';

  const expired = statuses.has('redemptionperiod');
  if (statuses.has('pendingdelete')) {
    // The expiry track puts the name on hold before it is purged; a deletion asked for by holder or policy does not.
    return expired || statuses.has('serverhold') ? 'pending_purge' : 'pending_delete';
  }
  return expired ? 'expired_hold' : 'registered';
}

const CONTRADICTIONS = ['available', 'free', 'notregistered', 'unassigned'];

const isString = (value: unknown): value is string => typeof value === 'string';

/** "pendingDelete https://icann.org/epp#pendingDelete", "PENDINGDELETE", "pending_delete" and "Pending Delete" are one status. */
function normalise(status: string): string {
  return status
    .slice(0, 200)
    .replace(/\shttps?:.*/s, '')
    .replace(/[\s_-]/g, '')
    .toLowerCase();
}
