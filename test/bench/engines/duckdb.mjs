import { DuckDBInstance } from '@duckdb/node-api';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** DuckDB reads every name, and is fast at it. The table lies in the order of rank, which lets it skip some. */
export class DuckDb {
  static pathOf({ work, data }) {
    return join(work, `duckdb-${data}.db`);
  }

  static async load({ file, data, work }) {
    const path = DuckDb.pathOf({ work, data });
    for (const left of [path, `${path}.wal`]) await rm(left, { force: true });
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run(`
      CREATE TABLE domain AS
      SELECT domain, split_part(domain, '.', 1) AS name, substr(domain, strpos(domain, '.') + 1) AS tld, wayback, first_seen
        FROM read_csv('${file}', header = true, columns = {domain: 'VARCHAR', wayback: 'INTEGER', first_seen: 'DATE'})
       ORDER BY wayback DESC, domain`);
    await connection.run('CHECKPOINT');
    connection.closeSync();
    instance.closeSync();
  }

  static async open({ data, work }) {
    const instance = await DuckDBInstance.create(DuckDb.pathOf({ work, data }));
    return new DuckDb(instance, await instance.connect());
  }

  constructor(instance, connection) {
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
