import pg from 'pg';
import { join } from 'node:path';
import { EmbeddedPostgres } from '../../dist/src/database/embedded/embedded-postgres.js';

const quiet = { log: () => undefined, warn: console.warn, error: console.error };

/** The product's own embedded server with its own settings, for both engines that run on PostgreSQL. */
export async function startServer(work) {
  const server = await EmbeddedPostgres.open(join(work, 'server'), quiet);
  const urlOf = (name) => {
    const url = new URL(server.url);
    url.pathname = name;
    return url.href;
  };
  const run = async (...statements) => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  return {
    urlOf,
    /** An empty database, whatever was there before. @returns its URL */
    async createDatabase(name) {
      await run(`DROP DATABASE IF EXISTS ${name}`, `CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    dropDatabase: (name) => run(`DROP DATABASE ${name}`),
    close: () => server.close(),
  };
}
