import { csvLine } from '../../validation/formats.js';
import type { BulkCheckItem } from './bulk-check.dto.js';

type Cell = string | number | boolean | null | undefined;

/** The columns of a bulk check as CSV, in their order; new ones come behind. */
const COLUMNS: Readonly<Record<string, (item: BulkCheckItem) => Cell>> = {
  domain: ({ domain }) => domain,
  status: ({ status }) => status,
  available: ({ result }) => result?.available,
  registered: ({ result }) => result?.registered,
  registry_state: ({ result }) => result?.registry.state,
  registry_source: ({ result }) => result?.registry.source,
  checked_at: ({ result }) => result?.registry.checked_at,
  cached: ({ result }) => result?.registry.cached,
  registrable: ({ result }) => result?.registrable,
  reason: ({ result }) => result?.reason,
  known: ({ result }) => result?.known,
  hidden: ({ result }) => result?.hidden,
  tld: ({ result }) => result?.tld,
  length: ({ result }) => result?.length,
  wayback: ({ result }) => result?.wayback,
  first_seen: ({ result }) => result?.first_seen,
  register_url: ({ result }) => result?.register_url,
  error_code: ({ error }) => error?.code,
  error_message: ({ error }) => error?.message,
};

/** One row per name, with a heading (RFC 4180). Absent and null values are empty. */
export function toCsv(items: readonly BulkCheckItem[]): string {
  const rows = items.map((item) => Object.values(COLUMNS).map((read) => read(item) ?? null));
  return [Object.keys(COLUMNS), ...rows].map((cells) => csvLine(cells).replace(/\n$/, '\r\n')).join('');
}

/** A line a name, each as in the list of the JSON answer. */
export function toNdjson(items: readonly BulkCheckItem[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join('');
}
