import { feedCursorBehind } from '../domains/feed/feed-cursor.js';
import { calendarDateOf } from '../domains/schema/calendar-date.js';
import { type Export, FORMATS } from './export.repository.js';
import type { ExportDto } from './exports.dto.js';

/** The manifest of an export, as it lies beside the files and as the API answers. */
export function manifestOf(one: Export, baseUrl: string): ExportDto {
  return {
    id: one.id,
    kind: one.kind,
    date: calendarDateOf(one.madeAt),
    made_at: one.madeAt.toISOString(),
    schema_version: one.schemaVersion,
    base: one.base,
    first_event: one.firstEvent,
    last_event: one.lastEvent,
    feed_cursor: feedCursorBehind({ number: one.lastEvent, seen: null }),
    rows: one.rows,
    ndjson_sha256: one.ndjsonSha256,
    files: one.files.map(({ name, format, rows, bytes, sha256 }) => ({
      ...{ name, format, media_type: FORMATS[format], rows, bytes, sha256 },
      url: urlOfFile(baseUrl, one.id, name),
    })),
  };
}

export function urlOfFile(baseUrl: string, id: string, file: string): string {
  return `${baseUrl}/api/v1/exports/${id}/${file}`;
}
