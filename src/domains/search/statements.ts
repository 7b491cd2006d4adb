import { nameOf, type PreparedStatement } from '../../db/database.js';
import { DOMAIN_COLUMNS } from '../schema/domain-row.js';
import type { Bind } from '../schema/filters/filter.js';
import { isExplained, isPlain, type NameFilter } from '../schema/filters/filters.js';
import { FILTERED } from './band-source.js';
import { coveringCells, SCORE_OF_CELL, UNKNOWN_MONTH } from './cube/cube-cells.js';
import { BY_RANK, type DiscoveryQuery, isCommon } from './discovery-query.js';
import type { DiscoveryPlan, GatheringPlan } from './planner.js';
import { behind, cut, orderBy, sortTerms } from './sort-order.js';
import { sourceInOrder, sourceOf } from './sources.js';

/** The statement that asks the question in the way planned. @param columns of the table `domain` */
export function statementOf(
  asked: DiscoveryQuery,
  plan: DiscoveryPlan,
  columns = DOMAIN_COLUMNS,
): PreparedStatement {
  const query = { ...asked, ...plan.head };
  // The texts of the explained suggest are few.
  const isKept = isCommon(query) || (isExplained(query) && plan.strategy === 'bands');
  return written((bind) => `SELECT ${columns} ${sourceInOrder(query, plan, bind)}`, isKept);
}

/** Figures of all names that pass: their number, their facets, or their facets with the months of first sight. */
export type Tally = 'count' | 'shapes' | 'months';

/** A tally of the cells that the filter covers, as rows of facets; a count is one row of `names` alone. */
export function cellsStatement(filter: NameFilter, what: Tally): PreparedStatement {
  return written((bind) => {
    const cells = `SELECT * FROM domain_cube WHERE ${coveringCells(filter, bind, 'sums')}`;
    if (what === 'count')
      return `SELECT greatest(coalesce(sum(names), 0), 0)::int AS names FROM (${cells}) AS cell`;
    if (what === 'shapes') return byShape(cells);
    const monthly = `
      SELECT to_char(nullif(first_month, '${UNKNOWN_MONTH}'), 'YYYY-MM') AS month, names
        FROM domain_cube WHERE ${coveringCells(filter, bind, 'months')}`;
    return `${byShape(cells)} UNION ALL ${byMonth(monthly)}`;
  }, isPlain(filter));
}

/** The same of names that are looked at one by one, to `max` and no further. */
export function namesStatement(
  filter: NameFilter,
  what: Tally,
  plan: DiscoveryPlan,
  max: number,
): PreparedStatement {
  // A count in no order, or an index without the first day would be followed into the table for it.
  const sort = what === 'count' ? BY_RANK : ({ key: 'first_seen', direction: 'desc' } as const);
  return written((bind) => {
    const names = (columns: string) => `${sourceOf({ ...filter, sort }, plan, bind, columns)} LIMIT ${max}`;
    if (what === 'count') return `SELECT count(*)::int AS names FROM (${names('*')}) AS found`;
    const monthly = `SELECT to_char(first_seen, 'YYYY-MM') AS month, count(*) AS names FROM best GROUP BY first_seen`;
    return `
      WITH best AS MATERIALIZED (SELECT domain.domain, domain.wayback, domain.first_seen
                                   FROM (${names(FILTERED)}) AS domain)
      ${byShape(cellsAmong('best'))} UNION ALL ${byMonth(monthly)}`;
  });
}

/**
 * A page, with `total`: how many names pass, whichever page is asked for; and with the first row `facets`, what
 * they are like. One look at the names for all three.
 */
export function gatheringStatement(
  query: DiscoveryQuery,
  plan: GatheringPlan,
  facets: boolean,
): PreparedStatement {
  const terms = sortTerms(query.sort ?? BY_RANK);
  const shapes = facets
    ? `CASE WHEN row_number() OVER () = 1
      THEN (SELECT json_agg(facet) FROM (${byShape(cellsAmong('found'))}) AS facet) END`
    : 'NULL';
  return written(
    (bind) => `
      WITH found AS MATERIALIZED (${sourceOf(query, plan, bind, FILTERED)})
    SELECT (SELECT count(*)::int FROM found) AS total, ${shapes} AS facets, ${DOMAIN_COLUMNS}
      FROM (SELECT domain FROM found WHERE ${behind(query, terms, bind)}
        ORDER BY ${orderBy(terms)} ${cut(query, bind)}) AS best
     CROSS JOIN LATERAL (SELECT * FROM domain WHERE domain.domain = best.domain OFFSET 0) AS domain`,
    isCommon(query),
  );
}

/**
 * @param isKept whether each session prepares it once, as of questions of the common shape: the others have too many
 *   shapes to keep a plan for each
 */
function written(write: (bind: Bind) => string, isKept = false): PreparedStatement {
  const values: unknown[] = [];
  const text = write((value) => `$${values.push(value)}`);
  return { name: isKept ? nameOf(text) : undefined, text, values };
}

// No suffix has a hyphen or a digit. Counted by cell first, as each of the five sums below would look at every
// name. Of ten thousand names the digits take 4.5 ms by a pattern, and 13 by translate().
function cellsAmong(table: string): string {
  return `
    SELECT substr(domain, strpos(domain, '.') + 1) AS tld, strpos(domain, '.') - 1 AS length,
      strpos(domain, '-') > 0 AS hyphens,
           domain ~ '[0-9]' AS numbers, ${SCORE_OF_CELL} AS score, count(*) AS names
      FROM ${table} GROUP BY 1, 2, 3, 4, 5`;
}

function byShape(cells: string): string {
  return `
    SELECT tld, length, hyphens, numbers, score, NULL AS month, sum(names)::int AS names
      FROM (${cells}) AS cell
     GROUP BY GROUPING SETS ((tld), (length), (hyphens), (numbers), (score))
    HAVING sum(names) > 0`;
}

function byMonth(monthly: string): string {
  return `SELECT NULL, NULL, NULL, NULL, NULL, month, sum(names)::int FROM (${monthly}) AS cell GROUP BY month
    HAVING sum(names) > 0`;
}
