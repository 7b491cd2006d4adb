import type { Domain, Suffix } from './domain.js';

/** The columns of the table `domain` that every reader asks for, dates as text so that no time zone touches them. */
export const DOMAIN_COLUMNS = `domain.domain, domain.name, domain.tld, domain.length, domain.hyphens, domain.digits,
  domain.wayback, domain.archive_status, domain.archive_captures,
  to_char(domain.archive_first_capture, 'YYYY-MM-DD') AS archive_first_capture,
  to_char(domain.archive_last_capture, 'YYYY-MM-DD') AS archive_last_capture,
  to_char(domain.first_seen, 'YYYY-MM-DD') AS first_seen,
  domain.dropped_at, domain.available, domain.hidden, domain.checked_at`;

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
  dropped_at: Date;
  available: boolean;
  hidden: boolean;
  checked_at: Date | null;
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
    droppedAt: row.dropped_at,
    available: row.available,
    hidden: row.hidden,
    checkedAt: row.checked_at,
  };
}
