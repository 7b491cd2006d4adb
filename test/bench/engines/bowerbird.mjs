import 'reflect-metadata';
import { readConfig } from '../../../dist/src/config/config.js';
import { createDataSource } from '../../../dist/src/database/data-source.js';
import { Database } from '../../../dist/src/database/database.js';
import { DiscoveryRepository } from '../../../dist/src/domains/discovery/discovery.repository.js';
import { NameSampler } from '../../../dist/src/domains/discovery/name-sampler.js';
import { runImport, VOUCHED } from '../import-command.mjs';

/** The product: loaded by its import command, asked through its repository, with the default time cap. */
export class Bowerbird {
  static async load({ file, data, server }) {
    const url = await server.createDatabase(`bowerbird_${data}`);
    await runImport(url, [file, ...VOUCHED]);
  }

  static async open({ data, server }) {
    const dataSource = createDataSource(server.urlOf(`bowerbird_${data}`), 2, () => undefined);
    await dataSource.initialize();
    const database = new Database(dataSource);
    const sampler = new NameSampler(database);
    await sampler.refresh();
    const repository = new DiscoveryRepository(database, sampler, readConfig({}));
    return new Bowerbird(dataSource, repository);
  }

  constructor(dataSource, repository) {
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
