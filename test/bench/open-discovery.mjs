/**
 * The repository of discovery as a checkout makes it: before there were replicas it had sessions of its own.
 *
 * @param load imports a module of the checkout's dist/src
 * @param limits what differs from the default configuration
 * @returns `fresh` makes one that remembers nothing, where the checkout's remembers counts
 */
export async function openDiscovery(load, database, sampler, { capMs, poolSize } = {}) {
  // Earlier checkouts read it in another file.
  const { readConfig } = await load('config/read-config.js').catch(() => load('config/config.js'));
  const { DiscoveryRepository } = await load('domains/search/discovery.repository.js');
  const defaults = readConfig({});
  const config = {
    suggest: { ...defaults.suggest, timeCapMs: capMs ?? defaults.suggest.timeCapMs },
    database: { ...defaults.database, poolSize: poolSize ?? defaults.database.poolSize },
  };
  const replicas = await load('db/replicas/read-database.js').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  });
  if (!replicas) {
    const repository = new DiscoveryRepository(database, sampler, config);
    return {
      repository,
      fresh: () => repository,
      query: (statement) => repository.sessions.query(statement),
      close: () => repository.onApplicationShutdown(),
    };
  }
  const reads = replicas.ReadDatabase.open(database, config, () => undefined);
  return {
    repository: new DiscoveryRepository(reads, sampler),
    fresh: () => new DiscoveryRepository(reads, sampler),
    query: (statement) => reads.capped(statement),
    close: () => reads.onApplicationShutdown(),
  };
}
