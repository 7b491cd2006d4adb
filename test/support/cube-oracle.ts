import type { Queryable } from '../../src/db/database.js';
import { SCORE_BANDS } from '../../src/domains/schema/filters/score-bands.js';

/** The cells of the cube that hold names, as lines of text in order. */
export async function readCube(database: Queryable): Promise<string[]> {
  const cells = await database.query<{ cell: string }>(
    `SELECT concat_ws(' ', first_month, tld, length, hyphens, numbers, score, names) AS cell
       FROM domain_cube WHERE names <> 0`,
  );
  return cells.map(({ cell }) => cell).sort();
}

/** The same, found by looking at every name. */
export async function countByHand(database: Queryable): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const { shape, month } of await readShown(database))
    for (const cell of [`${month ?? '-infinity'} ${shape}`, `infinity ${shape}`])
      counts.set(cell, (counts.get(cell) ?? 0) + 1);
  return [...counts].map(([cell, names]) => `${cell} ${names}`).sort();
}

async function readShown(database: Queryable) {
  const rows = await database.query<{ domain: string; wayback: number; month: string | null }>(
    `SELECT domain, wayback, to_char(first_seen, 'YYYY-MM-01') AS month
       FROM domain WHERE state = 'available' AND NOT hidden`,
  );
  return rows.map(({ domain, wayback, month }) => {
    const [name = '', ...tld] = domain.split('.');
    const band = SCORE_BANDS.find(({ from, to }) => wayback >= from && (to === null || wayback <= to));
    const flags = [name.includes('-'), /\d/.test(name)].map((flag) => (flag ? 't' : 'f'));
    return { domain, month, shape: `${tld.join('.')} ${name.length} ${flags.join(' ')} ${band?.from}` };
  });
}
