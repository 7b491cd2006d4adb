import type { CappedPool } from '../../src/db/time-cap.js';
import type { PreparedStatement } from '../../src/db/database.js';

/** One node of a plan, as EXPLAIN (FORMAT JSON) writes it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/**
 * How PostgreSQL runs a statement in a session for searches: the generic plan, executed once.
 *
 * @returns every node of the plan, from the top
 */
export async function explainSearch(
  sessions: CappedPool,
  { text, values }: PreparedStatement,
): Promise<PlanNode[]> {
  const ask = (sql: string) =>
    sessions.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>({ text: sql, values: [] });
  await ask(`PREPARE question AS ${text}`);
  try {
    const literals = values.length === 0 ? '' : `(${values.map(literalOf).join(', ')})`;
    const { rows } = await ask(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE question${literals}`);
    const [explained] = rows[0]?.['QUERY PLAN'] ?? [];
    if (!explained) throw new Error('The statement was not explained in time.');
    return nodesOf(explained.Plan);
  } finally {
    await ask('DEALLOCATE question');
  }
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** How many names the scans of a plan looked at, those that a filter threw away included. */
export function namesRead(nodes: readonly PlanNode[]): number {
  return nodes
    .filter((node) => node['Relation Name'] !== undefined)
    .reduce((sum, node) => {
      const rows =
        (node['Actual Rows'] ?? 0) +
        (node['Rows Removed by Filter'] ?? 0) +
        (node['Rows Removed by Index Recheck'] ?? 0);
      return sum + rows * (node['Actual Loops'] ?? 0);
    }, 0);
}

/** Values of search statements: numbers, and texts without backslashes. */
function literalOf(value: unknown): string {
  const text = Array.isArray(value) ? `{${value.map((item) => `"${item}"`).join(',')}}` : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}
