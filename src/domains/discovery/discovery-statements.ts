import type { PreparedStatement } from '../../database/time-cap.js';
import { DOMAIN_COLUMNS } from '../domain-row.js';
import { SUFFIXES } from '../domain.js';
import { type DiscoveryPlan, type DiscoveryQuery, MAX_LIMIT } from './discovery-plan.js';
import { codeOfGram, endOfPrefix, type GramLookup, likePattern } from './pattern-grams.js';
import { bandCondition, SCORE_BANDS, type ScoreBand } from './score-bands.js';

/** The statement that asks the question in the way planned. */
export function statementOf(query: DiscoveryQuery, plan: DiscoveryPlan): PreparedStatement {
  return plan.walk === 'rank' ? rankWalk(query) : bandWalk(query, plan);
}

/**
 * One statement walks all bands: Append runs its parts one after the other, and the outer LIMIT stops it before a part that
 * is not needed. Each part gives its rows in order, so whatever came before the time cap struck is the head of the
 * true answer. (SQL does not promise the order of UNION ALL; PostgreSQL keeps it when no workers are used.)
 */
function bandWalk(query: DiscoveryQuery, { every, some }: GramLookup): PreparedStatement {
  // Bands that lie wholly below the score asked for are left out.
  const bands = SCORE_BANDS.filter(({ to }) => to === null || to >= query.minWayback);
  const suffixes = query.suffixes.length > 0 ? query.suffixes : SUFFIXES;
  const lookups = [
    { names: 'every', operator: '@>', grams: every },
    { names: 'some', operator: '&&', grams: some },
  ].filter(({ grams }) => grams.length > 0);
  const conditions = lookups.map(
    ({ operator }, place) => `domain_grams(name, tld) ${operator} $${5 + place}`,
  );
  const parts = bands.map((band) => `(${bandPart(band, conditions.join(' AND '))})`);
  return {
    name: ['bands', bands.length, ...lookups.map(({ names }) => names)].join('_'),
    text: `SELECT ${DOMAIN_COLUMNS} FROM (${parts.join(' UNION ALL ')}) AS domain LIMIT $1`,
    values: [
      query.limit,
      query.minWayback,
      suffixes,
      likePattern(query.q ?? '', query.mode),
      ...lookups.map(({ grams }) => grams.map(codeOfGram)),
    ],
  };
}

// OFFSET 0 keeps all else outside: with the suffix, the score or the order in sight the planner may prefer to read the rank
// index and compute the pieces of every name, which took a second where the pieces' own index takes 0.2 ms.
function bandPart(band: ScoreBand, lookup: string): string {
  return `
    SELECT * FROM (SELECT * FROM domain WHERE ${bandCondition(band)} AND ${lookup} OFFSET 0) AS found
     WHERE name LIKE $4 AND tld = ANY ($3) AND wayback >= $2
     ORDER BY wayback DESC, domain
     LIMIT $1`;
}

/**
 * Reads the rank index alone, one run a suffix and the runs merged, and only the names that are the answer from the table.
 * LIKE works on the whole domain, as that is in the index: with its suffix behind, the pattern lies in the name.
 */
function rankWalk({ q, mode, suffixes, minWayback, limit }: DiscoveryQuery): PreparedStatement {
  const values: unknown[] = [limit, minWayback];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const searched = suffixes.length > 0 ? suffixes : SUFFIXES;
  // Where many names have one score, their run is in the order of the names, and PostgreSQL 18 skips to the prefix.
  const isPrefix = q !== undefined && mode === 'prefix';
  const range = isPrefix ? `AND domain >= ${bind(q)} AND domain < ${bind(endOfPrefix(q))}` : '';
  // The order is asked of each run, so that they are merged and not gathered and sorted. The written limits tell the planner
  // that few rows are wanted, which a parameter does not.
  const inOrder = `ORDER BY wayback DESC, domain LIMIT ${MAX_LIMIT}`;
  const runs = searched.map((suffix) => {
    const like = q === undefined ? '' : `AND domain LIKE ${bind(`${likePattern(q, mode)}.${suffix}`)}`;
    return `(SELECT wayback, domain FROM domain
              WHERE available AND NOT hidden AND tld = ${bind(suffix)} AND wayback >= $2 ${like} ${range}
              ${inOrder})`;
  });
  return {
    name: `rank_${searched.length}_${q === undefined ? 'all' : isPrefix ? 'prefix' : 'like'}`,
    text: `SELECT ${DOMAIN_COLUMNS}
             FROM (SELECT wayback, domain FROM (${runs.join(' UNION ALL ')}) AS run ${inOrder}) AS best
            CROSS JOIN LATERAL (SELECT * FROM domain WHERE domain.domain = best.domain OFFSET 0) AS domain
            LIMIT $1`,
    values,
  };
}
