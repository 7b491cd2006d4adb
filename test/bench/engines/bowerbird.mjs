import 'reflect-metadata';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../../dist/src/config/config.js';
import { createDataSource } from '../../../dist/src/database/data-source.js';
import { Database } from '../../../dist/src/database/database.js';
import { DiscoveryRepository } from '../../../dist/src/domains/discovery/discovery.repository.js';
import { NameSampler } from '../../../dist/src/domains/discovery/name-sampler.js';

const CLI = fileURLToPath(new URL('../../../dist/src/cli.js', import.meta.url));

/** The product: loaded by its import command, asked through its repository, with the default time cap. */
export class Bowerbird {
  static async open({ file, rows, server }) {
    const { url, isNew } = await server.database(`bowerbird_${rows}`);
    const loading = isNew ? await load(url, file) : 'loaded before';
    const dataSource = createDataSource(url, 2, () => undefined);
    await dataSource.initialize();
    // What autovacuum does soon after an import: readers need not look for each name whether it is still there.
    if (isNew) await dataSource.query('VACUUM domain');
    const database = new Database(dataSource);
    const sampler = new NameSampler(database);
    await sampler.refresh();
    const repository = new DiscoveryRepository(database, sampler, dataSource, readConfig({}));
    return new Bowerbird(loading, dataSource, repository);
  }

  constructor(loading, dataSource, repository) {
    this.loading = loading;
    this.dataSource = dataSource;
    this.repository = repository;
  }

  async ask({ q, mode, tld, minWayback, limit }) {
    const { domains, timedOut } = await this.repository.discoverDomains({
      q,
      mode,
      suffixes: tld ? [tld] : [],
      minWayback,
      limit,
    });
    return { domains: domains.map(({ domain }) => domain), timedOut };
  }

  async close() {
    await this.repository.onApplicationShutdown();
    await this.dataSource.destroy();
  }
}

async function load(url, file) {
  const start = performance.now();
  const child = spawn(process.execPath, [CLI, 'import', file], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  return `loaded in ${((performance.now() - start) / 1000).toFixed(1)} s`;
}
