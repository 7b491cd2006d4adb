import pg from 'pg';
import { join } from 'node:path';
import { EmbeddedPostgres } from '../../dist/src/database/embedded/embedded-postgres.js';

const quiet = { log: () => undefined, warn: console.warn, error: console.error };

/** The product's own embedded server with its own settings, for both engines that run on PostgreSQL. */
export async function startServer(work) {
  const server = await EmbeddedPostgres.open(join(work, 'server'), quiet);
  return {
    /** The URL of a database, made when it is not there. @returns also whether it is new */
    async database(name) {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      const url = new URL(server.url);
      url.pathname = name;
      return { url: url.href, isNew: rowCount === 0 };
    },
    close: () => server.close(),
  };
}
