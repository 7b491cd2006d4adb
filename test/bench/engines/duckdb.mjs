import { DuckDBInstance } from '@duckdb/node-api';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** DuckDB reads every name, and is fast at it. The table lies in the order of rank, which lets it skip some. */
export class DuckDb {
  static async open({ file, rows, work }) {
    const path = join(work, `duckdb-${rows}.db`);
    const isNew = !existsSync(path);
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    const loading = isNew ? await load(connection, file) : 'loaded before';
    return new DuckDb(loading, instance, connection);
  }

  constructor(loading, instance, connection) {
    this.loading = loading;
    this.instance = instance;
    this.connection = connection;
    this.statements = new Map();
  }

  async ask({ q, mode, tld, minWayback, limit }) {
    const match = {
      contains: 'contains(name, $q)',
      prefix: 'starts_with(name, $q)',
      suffix: 'ends_with(name, $q)',
    };
    const conditions = ['wayback >= $minWayback'];
    if (q !== undefined) conditions.push(match[mode]);
    if (tld) conditions.push('tld = $tld');
    const statement = await this.prepare(
      `SELECT domain, name, tld, wayback, first_seen FROM domain
        WHERE ${conditions.join(' AND ')} ORDER BY wayback DESC, domain LIMIT $limit`,
    );
    statement.bind({ minWayback, limit, ...(q !== undefined && { q }), ...(tld && { tld }) });
    const reader = await statement.runAndReadAll();
    return { domains: reader.getRows().map(([domain]) => domain), timedOut: false };
  }

  async prepare(text) {
    const found = this.statements.get(text) ?? (await this.connection.prepare(text));
    this.statements.set(text, found);
    return found;
  }

  async close() {
    this.connection.closeSync();
    this.instance.closeSync();
  }
}

async function load(connection, file) {
  const start = performance.now();
  await connection.run(`
    CREATE TABLE domain AS
    SELECT domain, split_part(domain, '.', 1) AS name, substr(domain, strpos(domain, '.') + 1) AS tld, wayback, first_seen
      FROM read_csv('${file}', header = true, columns = {domain: 'VARCHAR', wayback: 'INTEGER', first_seen: 'DATE'})
     ORDER BY wayback DESC, domain`);
  await connection.run('CHECKPOINT');
  return `loaded in ${((performance.now() - start) / 1000).toFixed(1)} s`;
}
