import autocannon from 'autocannon';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mainOf, startService } from './service.mjs';

const NAME = 'sandbox-available.com.au';
const MANY = 1_000_000_000;
const START_LIMIT_MS = 60_000;
export const CONNECTIONS = 20;
let callers = 0;

/**
 * A built checkout under load: its service and its bare routes, on a database of their own that its own import command
 * fills.
 */
export class Side {
  #bare;
  #service;

  /** @param questions of suggest, as query strings */
  static async start({ folder, database, server, file, registryUrl, questions }) {
    const side = new Side();
    if (!(await server.hasDatabase(database))) {
      const command = pathToFileURL(join(folder, 'test/bench/import-command.mjs')).href;
      const { runImport, VOUCHED = [] } = await import(command);
      await runImport(await server.createDatabase(database), [file, ...VOUCHED]);
    }
    const url = server.urlOf(database);
    try {
      side.#bare = fork(join(folder, 'test/bench/bare-service.mjs'), {
        env: { ...process.env, DATABASE_URL: url },
      });
      const limit = AbortSignal.timeout(START_LIMIT_MS);
      const [bareUrl] = await once(side.#bare, 'message', { signal: limit });
      side.#service = await startService(environmentOf(url, registryUrl), mainOf(folder));
      side.routes = routesOf(
        { pid: side.#bare.pid, url: bareUrl },
        { pid: side.#service.pid, url: side.#service.url },
        questions,
      );
    } catch (error) {
      await side.stop();
      throw error;
    }
    return side;
  }

  async stop() {
    await this.#service?.stop();
    const bare = this.#bare;
    if (!bare || bare.exitCode !== null || bare.signalCode !== null) return;
    const ended = once(bare, 'exit');
    bare.kill('SIGTERM');
    await ended;
  }
}

/** Sends so many requests; each connection has its part of the addresses. */
export async function load({ urls, accept }, amount) {
  const { origin } = new URL(urls[0]);
  const paths = urls.map((text) => text.slice(origin.length));
  const parts = Math.min(CONNECTIONS, paths.length);
  const { requests, errors, non2xx } = await autocannon({
    ...{ url: origin, connections: CONNECTIONS, amount, requests: [{ path: paths[0] }] },
    setupClient: (client) => {
      callers += 1;
      // Twenty callers, as each connection has an address of its own.
      const headers = { 'X-Forwarded-For': `198.18.0.${callers % 250}`, Accept: accept };
      const own = paths.filter((_, place) => place % parts === callers % parts);
      client.setRequests(own.map((path) => ({ path, headers })));
    },
  });
  if (errors > 0 || non2xx > 0)
    throw new Error(`${urls[0]}: ${errors} errors, ${non2xx} answers that are none`);
  return requests;
}

/** What is asked, of which process. */
function routesOf(bare, service, questions) {
  const at = ({ pid, url }, ...paths) => ({
    ...{ pid, accept: 'application/json', urls: paths.map((path) => url + path) },
  });
  const searches = questions.map((question) => `/api/v1/search?${question.replace('limit=', 'per_page=')}`);
  return {
    bare: at(bare, '/trivial'),
    discover: at(bare, ...questions.map((question) => `/discover?${question}`)),
    livez: at(service, '/livez'),
    stats: at(service, '/v1/stats'),
    check: at(service, `/v1/domains/check?domain=${NAME}`),
    suggest: at(service, ...questions.map((question) => `/v1/suggest?${question}`)),
    search: at(service, ...searches),
    page: { ...at(service, ...questions.map((question) => `/?${question}`)), accept: 'text/html' },
    feed: at(service, '/api/v1/dropped?since=2020-01-01T00:00:00Z&limit=10'),
  };
}

// No limit is met, everybody may ask everything, and nothing else is done meanwhile.
function environmentOf(databaseUrl, registryUrl) {
  const limits = { recordsPerMinute: MANY, requestsPerMinute: MANY, listPages: MANY };
  const demo = { ...limits, pageSize: 100, paging: true, feed: true };
  return {
    ...{ DATABASE_URL: databaseUrl, TRUST_PROXY: '1', TIERS: JSON.stringify({ demo }) },
    ...{ REGISTRY_RDAP_URL: registryUrl, REGISTRY_SOURCE: 'sandbox' },
    ...{ REGISTRY_CACHE_AVAILABLE_SECONDS: '3600', DATASET_JOBS: 'off', ARCHIVE_CDX_URL: 'off' },
  };
}
