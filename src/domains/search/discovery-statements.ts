import type { PreparedStatement } from '../../db/database.js';
import { isExplained, type NameFilter } from '../schema/filters/filters.js';
import type { Bind } from '../schema/filters/filter.js';
import { OFFER_STATE } from './cube/offer-moves.js';
import { DOMAIN_COLUMNS } from '../schema/domain-row.js';
import { FILTERED } from './band-source.js';
import type { DiscoveryPlan, GatheringPlan } from './discovery-plan.js';
import { BY_RANK, type DiscoveryQuery, isCommon } from './discovery-query.js';
import { shapesAmong } from './facet-statements.js';
import { bestSource, sourceInOrder, sourceOf } from './name-sources.js';
import { behind, cut, orderBy, sortTerms } from './sort-order.js';
import { nameOf } from '../../db/database.js';

/** The statement that asks the question in the way planned. @param columns of the table `domain` */
export function statementOf(
  query: DiscoveryQuery,
  plan: DiscoveryPlan,
  columns = DOMAIN_COLUMNS,
): PreparedStatement {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const text = `SELECT ${columns} ${sourceInOrder(query, plan, bind)}`;
  // Questions of the common shape are prepared once, and those of suggest with a wording, whose texts are few. The others have too
  // many shapes to keep a plan for each.
  const isKept = isCommon(query) || (isExplained(query) && plan.strategy === 'bands');
  return { name: isKept ? nameOf(text) : undefined, text, values };
}

/** How many names pass the filter, counted to `max` and no further; and the state of the offer. */
export function countStatement(filter: NameFilter, plan: DiscoveryPlan, max: number): PreparedStatement {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const countBy = (way: DiscoveryPlan): string => {
    // In no order, or an index without the first day would be followed into the table for it.
    const found = sourceOf({ ...filter, sort: BY_RANK }, way, bind);
    return `SELECT count(*)::int AS count FROM (${found} LIMIT ${max}) AS found`;
  };
  const all = countBy(plan);
  const few = plan.strategy === 'bands' && plan.few ? countBy({ ...plan, some: [], oneOf: plan.few }) : null;
  const counted = few
    ? `SELECT CASE WHEN first.count >= ${max} THEN ${max} ELSE (${all}) END AS count FROM (${few}) AS first`
    : all;
  return { text: `SELECT (${counted}) AS count, ${OFFER_STATE}`, values };
}

/** The best names by rank, whichever order is asked for, each with its score and no more, which is read from an index where the plan has it. */
export function bestStatement(query: DiscoveryQuery, plan: DiscoveryPlan): PreparedStatement {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const text = `SELECT domain, wayback FROM (${bestSource(query, plan, bind)}) AS ordered ${cut(query, bind)}`;
  return { text, values };
}

/**
 * The same rows as {@link statementOf} asks for, each with `total`: how many names pass, whichever page is asked for; and with the state of
 * the offer.
 */
export function gatheringStatement(query: DiscoveryQuery, plan: GatheringPlan): PreparedStatement {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const terms = sortTerms(query.sort ?? BY_RANK);
  const found = sourceOf(query, plan, bind, FILTERED);
  const text = `
    SELECT best.total, ${OFFER_STATE}, ${DOMAIN_COLUMNS}
      FROM (SELECT domain, total FROM (SELECT *, count(*) OVER ()::int AS total FROM (${found}) AS found) AS counted
             WHERE ${behind(query, terms, bind)}
             ORDER BY ${orderBy(terms)} ${cut(query, bind)}) AS best
     CROSS JOIN LATERAL (SELECT * FROM domain WHERE domain.domain = best.domain OFFSET 0) AS domain`;
  return { text, values };
}

/** The same, and with the first row `facets`: all that pass, by what cells tell apart. */
export function facetedStatement(query: DiscoveryQuery, plan: GatheringPlan): PreparedStatement {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const terms = sortTerms(query.sort ?? BY_RANK);
  const text = `
      WITH found AS MATERIALIZED (${sourceOf(query, plan, bind, FILTERED)})
    SELECT (SELECT count(*)::int FROM found) AS total,
           CASE WHEN row_number() OVER () = 1 THEN (SELECT json_agg(facet) FROM (${shapesAmong('found')}) AS facet) END AS facets,
           ${DOMAIN_COLUMNS}
      FROM (SELECT domain FROM found WHERE ${behind(query, terms, bind)} ORDER BY ${orderBy(terms)} ${cut(query, bind)}) AS best
     CROSS JOIN LATERAL (SELECT * FROM domain WHERE domain.domain = best.domain OFFSET 0) AS domain`;
  return { text, values };
}
