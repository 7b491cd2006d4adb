import { nameOf, type PreparedStatement } from '../../db/database.js';
import { DOMAIN_COLUMNS } from '../schema/domain-row.js';
import { type Bind, IN_TABLE } from '../schema/filters/filter.js';
import { yearsIn } from '../schema/filters/further-filters.js';
import { asksFor, cellConditions, isExplained, isPlain, type NameFilter } from '../schema/filters/filters.js';
import { EVERY_MONTH, scoreOfCellIn, UNKNOWN_MONTH } from './cube/cube.repository.js';
import { type DiscoveryQuery, isRepeated } from './discovery-query.js';
import type { DiscoveryPlan, GatheringPlan } from './planner.js';
import { firstOf, rowsNamed, sourceInOrder, sourceOf } from './sources.repository.js';

/** The statement that asks the question in the way planned. @param columns of the table `domain` */
export function statementOf(
  asked: DiscoveryQuery,
  plan: DiscoveryPlan,
  columns = DOMAIN_COLUMNS,
): PreparedStatement {
  const query = { ...asked, ...plan.head };
  // The texts of the explained suggest are few.
  const isKept = isRepeated(query) || (isExplained(query) && plan.strategy === 'bands');
  return written((bind) => `SELECT ${columns} ${sourceInOrder(query, plan, bind)}`, isKept);
}

/** Figures of all names that pass: their number, their facets, or their facets with the months of first sight. */
export type Tally = 'count' | 'shapes' | 'months';

/** A tally of the cells that the filter covers, as rows of facets; a count is one row of `names` alone. */
export function cellsStatement(filter: NameFilter, what: Tally): PreparedStatement {
  return written((bind) => {
    const days = `first_month > '${UNKNOWN_MONTH}' AND first_month < '${EVERY_MONTH}'`;
    const cellsOf = (anyDay: string) => {
      const months = asksFor('firstSeen', filter) ? days : anyDay;
      return `SELECT * FROM domain_cube WHERE ${[months, ...cellConditions(filter, bind)].join(' AND ')}`;
    };
    const cells = cellsOf(`first_month = '${EVERY_MONTH}'`);
    if (what === 'count')
      return `SELECT greatest(coalesce(sum(names), 0), 0)::int AS names FROM (${cells}) AS cell`;
    if (what === 'shapes') return byShape(cells);
    const monthly = `
      SELECT to_char(nullif(first_month, '${UNKNOWN_MONTH}'), 'YYYY-MM') AS month, names
        FROM (${cellsOf(`first_month < '${EVERY_MONTH}'`)}) AS cell`;
    return `${byShape(cells)} UNION ALL ${byMonth(monthly)}`;
  }, isPlain(filter));
}

/** A tally of names that are looked at one by one, to `max` and no further. */
export function namesStatement(
  filter: NameFilter,
  what: Tally,
  plan: GatheringPlan,
  max: number,
): PreparedStatement {
  return written((bind) => {
    const names = `${sourceOf(filter, plan, bind)} LIMIT ${max}`;
    if (what === 'count') return `SELECT count(*)::int AS names FROM (${names}) AS found`;
    const monthly = `SELECT to_char(first_seen, 'YYYY-MM') AS month, count(*) AS names FROM best GROUP BY first_seen`;
    return `
      WITH best AS MATERIALIZED (SELECT domain.domain, domain.wayback, domain.first_seen
                                   FROM (${names}) AS domain)
      ${byShape(cellsAmong('best'))} UNION ALL ${byMonth(monthly)}`;
  });
}

/** A page with `total`, how many names pass on all pages, and with the first row `facets`, what they are like. */
export function gatheringStatement(
  query: DiscoveryQuery,
  plan: GatheringPlan,
  facets: boolean,
): PreparedStatement {
  const shapes = facets
    ? `CASE WHEN row_number() OVER () = 1
      THEN (SELECT json_agg(facet) FROM (${byShape(cellsAmong('found'))}) AS facet) END`
    : 'NULL';
  return written(
    (bind) => `
      WITH found AS MATERIALIZED (${sourceOf(query, plan, bind)})
    SELECT (SELECT count(*)::int FROM found) AS total, ${shapes} AS facets, ${DOMAIN_COLUMNS}
    ${rowsNamed(firstOf('SELECT * FROM found', query, bind))}`,
    isRepeated(query),
  );
}

const SAMPLE_SIZE = 100_000;

/** Names as the sample has them, in random order. @param total of the dataset */
export function sampleStatement(total: number): PreparedStatement {
  // Every page is read: names of one page are alike, and a sample of pages tells less than its names seem to.
  return written(
    (bind) => `
    SELECT name, tld, wayback, to_char(first_seen, 'YYYY-MM-DD') AS "firstSeen",
           (extract(epoch FROM checked_at) * 1000)::float8 AS "checkedMs", words,
           ${yearsIn(IN_TABLE)}::int AS "archiveYears"
      FROM domain TABLESAMPLE BERNOULLI (${bind(Math.min(100, (100 * SAMPLE_SIZE) / Math.max(1, total)))})
     WHERE available AND NOT hidden ORDER BY random() LIMIT ${bind(SAMPLE_SIZE)}`,
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
           domain ~ '[0-9]' AS numbers, ${scoreOfCellIn()} AS score, count(*) AS names
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
