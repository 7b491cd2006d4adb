import pg from 'pg';
import { join } from 'node:path';
import { EmbeddedPostgres } from '../../dist/src/db/embedded/embedded-postgres.js';

const quiet = { log: () => undefined, warn: console.warn, error: console.error };

/** The product's own embedded server with its own settings, for both engines that run on PostgreSQL. */
export async function startServer(work) {
  const server = await EmbeddedPostgres.open(join(work, 'server'), quiet);
  const urlOf = (name) => {
    const url = new URL(server.url);
    url.pathname = name;
    return url.href;
  };
  const run = async (statement, values) => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const result = await client.query(statement, values);
    await client.end();
    return result;
  };
  return {
    url: server.url,
    urlOf,
    async hasDatabase(name) {
      const { rows } = await run('SELECT FROM pg_database WHERE datname = $1', [name]);
      return rows.length > 0;
    },
    /** An empty database, whatever was there before. @returns its URL */
    async createDatabase(name) {
      await run(`DROP DATABASE IF EXISTS ${name}`);
      await run(`CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    dropDatabase: (name) => run(`DROP DATABASE ${name}`),
    close: () => server.close(),
  };
}
