/**
 * One side of drawn.mjs, a process of its own: a built checkout on a database, asked by messages.
 *
 *   fork('drawn-side.mjs', [FOLDER, URL])
 *
 * Answers each question with the CPU time that it took of this process and of its session of PostgreSQL, in ms.
 */
import { execFileSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { cpuMsOfBackend } from './backend-cpu.mjs';
import { openDiscovery } from './open-discovery.mjs';

const CAP_MS = 2_000;
/** A session that was idle for longer may be another by now. */
const SESSION_MS = 1_000;

const [folder, url] = process.argv.slice(2);
// Earlier checkouts have these in other folders.
const find = (path) => import(join(folder, 'dist/src', path));
const load = (path) =>
  find(path).catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return find(
      path
        .replace('domains/search/', 'domains/discovery/')
        .replace(/^db\/replicas\//, 'replicas/')
        .replace(/^db\//, 'database/'),
    );
  });
await import(join(folder, 'node_modules/reflect-metadata/Reflect.js'));
const { createDataSource } = await load('db/data-source.js');
const { Database } = await load('db/database.js');
const { NameSampler } = await load('domains/search/name-sampler.js');
const dataSource = createDataSource(url, 1, () => undefined);
await dataSource.initialize();
const sampler = new NameSampler(new Database(dataSource));
await sampler.refresh();
// One session, so that its process is known.
const discovery = await openDiscovery(load, new Database(dataSource), sampler, {
  capMs: CAP_MS,
  poolSize: 1,
});
const { repository } = discovery;
let pid = 0;
let askedAt = -Infinity;

const ASKS = {
  nothing: async () => {
    await discovery.query({ text: 'SELECT 1', values: [] });
    return { domains: [], timedOut: false };
  },
  // As each checkout's suggest asks: earlier ones read whole rows.
  ranked: (query) => repository[repository.discoverOffers ? 'discoverOffers' : 'discoverDomains'](query),
  filtered: (query) => repository.discoverDomains(query),
  'page and count': (query) => discovery.fresh().discoverPage(query),
  'further filters': async ({ words, ...query }) => {
    const { readWords } = await load('domains/schema/filters/reading-filter.js');
    return repository.discoverDomains({ ...query, ...(words && { reading: readWords(words) }) });
  },
};

process.on('message', (message) => void answer(message).then((reply) => process.send(reply)));
process.once('disconnect', async () => {
  await discovery.close();
  await dataSource.destroy();
});
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
  cwd: folder,
  encoding: 'utf8',
}).trim();
const name = `${basename(folder)} ${commit}`;
const hasWords = await load('domains/schema/filters/reading-filter.js').then(
  () => true,
  () => false,
);
process.send({ name, hasSearch: Boolean(repository.discoverPage), hasWords });

async function answer({ ask, query, isEstimated, guess, planned }) {
  if (planned) return plansOf(planned);
  if (ask) return measure(ASKS[ask], query);
  if (isEstimated) return sampler.current.estimate(isEstimated) !== null;
  // Another sample for each time.
  sampler.sample = null;
  await sampler.refresh();
  return guess.map((one) => sampler.current.guess(one));
}

/** The ways that are taken one after the other, with their heads and bounds. */
async function plansOf({ words, ...query }) {
  const { planDiscovery } = await load('domains/search/planner.js');
  const { withImplied } = await load('domains/schema/filters/filters.js');
  const { readWords } = await load('domains/schema/filters/reading-filter.js');
  const asked = withImplied({ ...query, ...(words && { reading: readWords(words) }) });
  const plans = [];
  for (let plan = asked && planDiscovery(asked, sampler.current).plan; plan; plan = plan.otherwise) {
    const { strategy, key, isDirect, bound, head, every, some, traits } = plan;
    const lists = [every, some, traits?.map(({ asks, codes }) => ({ ...asks, codes: codes.length }))];
    plans.push({ strategy, key, isDirect, bound, head, lists });
  }
  return plans.map((plan) => JSON.stringify(plan)).join(' -> ');
}

/** A session that ended with the question says no time; it was late then. */
function spentBy(session, before, timedOut) {
  try {
    return cpuMsOfBackend(session) - before;
  } catch (error) {
    if (timedOut) return CAP_MS;
    throw error;
  }
}

async function sessionId() {
  const { rows } = await discovery.query({ text: 'SELECT pg_backend_pid() AS pid', values: [] });
  return rows[0].pid;
}

async function measure(ask, query) {
  if (performance.now() - askedAt > SESSION_MS) pid = await sessionId();
  const backend = cpuMsOfBackend(pid);
  const start = process.cpuUsage();
  const { domains, timedOut } = await ask(query);
  const { user, system } = process.cpuUsage(start);
  const node = (user + system) / 1_000;
  const cost = node + spentBy(pid, backend, timedOut);
  // A checkout may end its session after a statement that was cancelled.
  askedAt = timedOut ? -Infinity : performance.now();
  return { cost, node, timedOut, names: domains.map(({ domain }) => domain).join() };
}
