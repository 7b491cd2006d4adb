import 'reflect-metadata';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runImport, VOUCHED } from '../import-command.mjs';
import { openDiscovery } from '../open-discovery.mjs';

const HERE = fileURLToPath(new URL('../../..', import.meta.url));

/** The product: loaded by its import command, asked through its repository, with the default time cap. */
export class Bowerbird {
  static async load({ file, data, server }) {
    const url = await server.createDatabase(`bowerbird_${data}`);
    await runImport(url, [file, ...VOUCHED]);
  }

  static async open({ data, server }) {
    return new Bowerbird(await openRepository(server.urlOf(`bowerbird_${data}`), HERE));
  }

  constructor({ repository, close }) {
    this.repository = repository;
    this.close = close;
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
}

/** The repository of a built checkout, with the default time cap. */
export async function openRepository(url, checkout) {
  const load = (path) => import(join(checkout, 'dist/src', path));
  const { createDataSource } = await load('db/data-source.js');
  const { Database } = await load('db/database.js');
  const { NameSampler } = await load('domains/search/name-sampler.js');
  const dataSource = createDataSource(url, 2, () => undefined);
  await dataSource.initialize();
  const database = new Database(dataSource);
  const sampler = new NameSampler(database);
  await sampler.refresh();
  const discovery = await openDiscovery(load, database, sampler);
  return {
    repository: discovery.repository,
    fresh: discovery.fresh,
    async close() {
      await discovery.close();
      await dataSource.destroy();
    },
  };
}
