import type { Domain, Offer, Suffix } from './domain.js';

/** The columns of the table `domain` that every reader asks for, dates as text so that no time zone touches them. */
export const DOMAIN_COLUMNS = `domain.domain, domain.name, domain.tld, domain.length, domain.hyphens, domain.digits,
  domain.wayback, domain.archive_status, domain.archive_captures,
  to_char(domain.archive_first_capture, 'YYYY-MM-DD') AS archive_first_capture,
  to_char(domain.archive_last_capture, 'YYYY-MM-DD') AS archive_last_capture,
  to_char(domain.first_seen, 'YYYY-MM-DD') AS first_seen,
  domain.state, domain.dropped_at, domain.available, domain.hidden, domain.checked_at, domain.confirmed_by,
  domain.registry_state, domain.list_kind, domain.list_source, domain.listed_at, domain.purge_at`;

/** The columns of an offer. The others are mostly days and moments, which take the longest to write and to read. */
export const OFFER_COLUMNS = `domain.domain, domain.tld, domain.length, domain.wayback,
  to_char(domain.first_seen, 'YYYY-MM-DD') AS first_seen, domain.available, domain.checked_at, domain.confirmed_by`;

export type OfferRow = Pick<
  DomainRow,
  'domain' | 'tld' | 'length' | 'wayback' | 'first_seen' | 'available' | 'checked_at' | 'confirmed_by'
>;

export interface DomainRow {
  domain: string;
  name: string;
  tld: Suffix;
  length: number;
  hyphens: number;
  digits: number;
  wayback: number;
  archive_status: Domain['archive']['status'];
  archive_captures: number | null;
  archive_first_capture: string | null;
  archive_last_capture: string | null;
  first_seen: string | null;
  state: Domain['state'];
  dropped_at: Date | null;
  available: boolean;
  hidden: boolean;
  checked_at: Date | null;
  confirmed_by: string | null;
  registry_state: Domain['registryState'];
  list_kind: Domain['listKind'];
  list_source: string | null;
  listed_at: Date | null;
  purge_at: Date | null;
}

export function toOffer(row: OfferRow): Offer {
  const { first_seen: firstSeen, checked_at: checkedAt, confirmed_by: confirmedBy, ...same } = row;
  return { ...same, firstSeen, checkedAt, confirmedBy };
}

export function toDomain(row: DomainRow): Domain {
  return {
    domain: row.domain,
    name: row.name,
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
    hidden: row.hidden,
    checkedAt: row.checked_at,
    confirmedBy: row.confirmed_by,
    registryState: row.registry_state,
    listKind: row.list_kind,
    listSource: row.list_source,
    listedAt: row.listed_at,
    purgeAt: row.purge_at,
  };
}
