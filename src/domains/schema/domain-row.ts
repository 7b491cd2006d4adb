import type { Domain, Offer } from './domain.js';
import { fieldOf, type FieldName, type KnownName, RESTRICTED, STORED, type StoredRow } from './fields.js';
import type { RegistryState } from './states.js';

/** The columns of the table `domain` that every reader asks for, dates as text so that no time zone touches them. */
export const DOMAIN_COLUMNS = [
  ...STORED.map(selected),
  'domain.name',
  'domain.hidden',
  'domain.registry_state',
  'domain.list_source',
].join(', ');

/** The columns of an offer. The others are mostly days and moments, which take the longest to write and to read. */
export const OFFER_COLUMNS = [...RESTRICTED, 'checked_at' as const, 'confirmed_by' as const]
  .filter((name) => fieldOf(name).column !== undefined)
  .map(selected)
  .join(', ');

export interface DomainRow extends StoredRow<Date> {
  name: string;
  hidden: boolean;
  registry_state: RegistryState | null;
  list_source: string | null;
}

export type OfferRow = Pick<
  DomainRow,
  'domain' | 'tld' | 'length' | 'wayback' | 'first_seen' | 'available' | 'checked_at' | 'confirmed_by'
>;

export function toOffer(row: OfferRow): Offer {
  // Field by field: a rest pattern takes five times the memory, and a page of it outlives the next collection.
  return {
    domain: row.domain,
    tld: row.tld,
    length: row.length,
    wayback: row.wayback,
    firstSeen: row.first_seen,
    available: row.available,
    checkedAt: row.checked_at,
    confirmedBy: row.confirmed_by,
  };
}

export function toDomain(row: DomainRow): Domain {
  return Object.assign(toKnownName(row), {
    name: row.name,
    hidden: row.hidden,
    registryState: row.registry_state,
    listSource: row.list_source,
  });
}

/** @param row with times as its reader has them */
export function toKnownName<Time>(row: StoredRow<Time>): KnownName<Time> {
  return {
    domain: row.domain,
    tld: row.tld,
    length: row.length,
    hyphens: row.hyphens,
    digits: row.digits,
    wayback: row.wayback,
    archive: {
      status: row.archive_status,
      firstCapture: row.archive_first_capture,
      lastCapture: row.archive_last_capture,
      captures: row.archive_captures,
    },
    firstSeen: row.first_seen,
    state: row.state,
    droppedAt: row.dropped_at,
    available: row.available,
    checkedAt: row.checked_at,
    confirmedBy: row.confirmed_by,
    listKind: row.list_kind,
    listedAt: row.listed_at,
    purgeAt: row.purge_at,
  };
}

function selected(name: FieldName): string {
  const { column, type } = fieldOf(name);
  return type === 'date' ? `to_char(domain.${column}, 'YYYY-MM-DD') AS ${column}` : `domain.${column}`;
}
