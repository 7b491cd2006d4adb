import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIST_KINDS, type ListKind } from '../../../src/config/product.js';

/** A row of the list of a day. */
export interface ListedRow {
  readonly domain: string;
  readonly kind: ListKind;
  /** From when on it may be purged, HH:MM:SS in UTC. */
  readonly time: string;
}

/** What real lists hold beside names: labels that .au does not allow. */
const REFUSED = ['xn--55q89qy6p', 'q'];
/** A made-up day has so many names of an earlier one again. */
const AGAIN = 2;
const AGAIN_AFTER_DAYS = 9;

/** Days of lists that are made up in the shape of real ones: a fifth deleted, more on one day than on another. */
export function madeUpDays(days: number, namesADay: number): ListedRow[][] {
  return Array.from({ length: days }, (_, day) => {
    const count = Math.round(namesADay * (0.8 + 0.4 * chance(`size ${day}`)));
    const names = Array.from({ length: count }, (_, place) =>
      place < AGAIN && day >= AGAIN_AFTER_DAYS
        ? nameOf(day - AGAIN_AFTER_DAYS, place + AGAIN)
        : nameOf(day, place),
    );
    return [...names, ...REFUSED.map((label) => `${label}.com.au`)].map((domain, place) => ({
      domain,
      kind: place % 5 === 0 ? 'deleted' : 'expired',
      time: new Date(chance(`${domain} time ${day}`) * 86_400_000).toISOString().slice(11, 19),
    }));
  });
}

function nameOf(day: number, place: number): string {
  return `y${day}-${place}-drop.${place % 3 === 0 ? 'net.au' : 'com.au'}`;
}

/**
 * Days of real lists, `{deleted,expired}-YYYY-MM-DD.csv` in a folder, over and over. Of each day as large a part is
 * taken as leaves `namesADay` on the average, and another part in each round, so that some names come again.
 */
export async function realDays(folder: string, days: number, namesADay: number): Promise<ListedRow[][]> {
  const lists = await readLists(folder);
  const share = (namesADay * lists.length) / lists.flat().length;
  return Array.from({ length: days }, (_, day) => {
    const round = Math.floor(day / lists.length);
    return LIST_KINDS.flatMap((kind) =>
      drawn(
        (lists[day % lists.length] ?? []).filter((row) => row.kind === kind),
        share,
        `round ${round}`,
      ),
    );
  });
}

async function readLists(folder: string): Promise<ListedRow[][]> {
  const byDate = new Map<string, ListedRow[]>();
  for (const file of (await readdir(folder)).sort()) {
    const [, part, date = ''] = /^(deleted|expired)-(\d{4}-\d\d-\d\d)\.csv$/.exec(file) ?? [];
    const kind = LIST_KINDS.find((one) => one === part);
    if (!kind) continue;
    const [, ...lines] = (await readFile(join(folder, file), 'utf8')).trimEnd().split('\n');
    const rows = lines.map((line) => {
      const [, time = '', domain = ''] = line.trimEnd().split(',');
      return { domain, kind, time };
    });
    byDate.set(date, [...(byDate.get(date) ?? []), ...rows]);
  }
  if (byDate.size === 0)
    throw new Error(`${folder} holds no deleted-YYYY-MM-DD.csv or expired-YYYY-MM-DD.csv`);
  return [...byDate.keys()].sort().map((date) => byDate.get(date) ?? []);
}

/** The same rows each time for the same seed. */
function drawn(rows: readonly ListedRow[], share: number, seed: string): ListedRow[] {
  // A list of a handful of names would look like one that was cut short as soon as it lost two of them.
  const count = Math.max(MIN_ROWS, Math.round(rows.length * share));
  return rows
    .map((row) => ({ row, place: chance(`${seed} ${row.domain}`) }))
    .sort((one, other) => one.place - other.place)
    .slice(0, count)
    .map(({ row }) => row);
}

const MIN_ROWS = 6;

/** A number from 0 to 1 that belongs to the text. */
export function chance(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}
