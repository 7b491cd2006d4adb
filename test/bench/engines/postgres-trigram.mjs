import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

// Slower answers are given up, so that a run ends.
const TIMEOUT_MS = 60_000;

/** PostgreSQL as a user would set it up: a trigram index on the label, an index on the rank, and the planner left alone. */
export class PostgresTrigram {
  static async load({ file, data, server }) {
    const url = await server.createDatabase(`trigram_${data}`);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`CREATE EXTENSION pg_trgm`);
    await client.query(`CREATE TABLE import (domain text, wayback integer, first_seen date)`);
    await pipeline(
      createReadStream(file),
      client.query(copyFrom(`COPY import FROM STDIN WITH (FORMAT csv, HEADER)`)),
    );
    await client.query(`
      CREATE TABLE domain (
        domain text COLLATE "C" PRIMARY KEY, name text COLLATE "C" NOT NULL, tld text COLLATE "C" NOT NULL,
        wayback integer NOT NULL, first_seen date
      )`);
    await client.query(`
      INSERT INTO domain
      SELECT domain, split_part(domain, '.', 1), substr(domain, strpos(domain, '.') + 1), wayback, first_seen FROM import`);
    await client.query(`DROP TABLE import`);
    await client.query(`CREATE INDEX ON domain USING gin (name gin_trgm_ops)`);
    await client.query(`CREATE INDEX ON domain (wayback DESC, domain)`);
    await client.query(`VACUUM ANALYZE domain`);
    await client.end();
  }

  static async open({ data, server }) {
    const pool = new pg.Pool({
      connectionString: server.urlOf(`trigram_${data}`),
      max: 1,
      idleTimeoutMillis: 0,
      statement_timeout: TIMEOUT_MS,
    });
    return new PostgresTrigram(pool);
  }

  constructor(pool) {
    this.pool = pool;
  }

  async ask({ q = '', mode, tld, minWayback, limit }) {
    const like = { contains: `%${q}%`, prefix: `${q}%`, suffix: `%${q}` }[mode];
    try {
      const { rows } = await this.pool.query(
        `SELECT domain, name, tld, wayback, first_seen FROM domain
          WHERE name LIKE $1 AND wayback >= $2 ${tld ? 'AND tld = $4' : ''}
          ORDER BY wayback DESC, domain LIMIT $3`,
        [like, minWayback, limit, ...(tld ? [tld] : [])],
      );
      return { domains: rows.map(({ domain }) => domain), timedOut: false };
    } catch (error) {
      if (error.code !== '57014') throw error;
      return { domains: [], timedOut: true };
    }
  }

  async close() {
    await this.pool.end();
  }
}
