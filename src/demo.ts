import { createHash, randomBytes } from 'node:crypto';
import 'reflect-metadata';
import { serve } from './app/serve.js';
import { DEMO_DATA_DIR } from './config/product.js';
import { readProcessConfig } from './config/read-config.js';
import {
  loadSampleNames,
  readSampleScores,
  type SandboxAnswer,
  sandboxAnswerOf,
} from './demo/sandbox-names.js';
import { startSandboxAbnLookup } from './demo/sandbox-abn-lookup.js';
import { startSandboxArchive } from './demo/sandbox-archive.js';
import { settingsOf, startSandboxCards } from './demo/sandbox-cards.js';
import { sandboxListAt, soonPurgeTimes, startSandboxLists } from './demo/sandbox-lists.js';
import { eppSettingsOf, startSandboxRegistrar } from './demo/sandbox-registrar.js';
import { startSandboxReseller } from './demo/sandbox-reseller.js';
import { startSandboxRegistry } from './demo/sandbox-registry.js';
import { welcome } from './demo/welcome.js';

// The whole service on this machine, with nothing real behind it: sample names, and a made-up registry, archive and
// publisher of drop lists on loopback, which the ordinary clients talk to. It may ask those as often as it likes,
// and the names of the first lists are purged within two minutes.
const names = new Map<string, SandboxAnswer>();
const registry = await startSandboxRegistry({ port: 0, names });
const registrations = {
  port: 0,
  isTaken: (name: string) => sandboxAnswerOf(name) === 'registered',
  onRegistered: (name: string) => void names.set(name, 'registered'),
  // Registered, without a reply that says so.
  faultOf: (name: string) => (name.startsWith('sandbox-unclear') ? ('cut_after' as const) : undefined),
};
const registrar = await startSandboxRegistrar(registrations);
const reseller = await startSandboxReseller(registrations);
const abnLookup = await startSandboxAbnLookup(0);
const cards = await startSandboxCards(0);
const archive = await startSandboxArchive({ port: 0, days: await readSampleScores() });
const purgeTimes = soonPurgeTimes(new Date());
const lists = await startSandboxLists({
  port: 0,
  listAt: (kind, now) => sandboxListAt(kind, now, purgeTimes),
});

/** For ORDERS=on and WEBHOOKS=on: what it encrypts is made up. */
const DEMO_KEY = createHash('sha256').update('the demo').digest('base64');

const defaults = {
  HOST: '127.0.0.1',
  LOG_LEVEL: 'warn',
  // There is no load balancer.
  SHUTDOWN_NOTICE_MS: '0',
  DATA_DIR: DEMO_DATA_DIR,
  // For AUTH=on: sessions end with the demo.
  AUTH_SECRET: randomBytes(32).toString('hex'),
  ORDER_SECRET_KEY: DEMO_KEY,
  WEBHOOK_SECRET_KEY: DEMO_KEY,
};
const fixed = {
  REGISTRY_RDAP_URL: registry.url,
  REGISTRY_SOURCE: 'sandbox',
  REGISTRY_RATE_PER_SECOND: '100',
  REGISTRY_BURST: '100',
  REGISTRY_AVAILABILITY_SERVICE: 'off',
  // A visitor who tries the labels that misbehave should not wait for the circuit breaker.
  REGISTRY_BREAKER_OPEN_MS: '2000',
  ABN_LOOKUP_URL: abnLookup.url,
  ABN_LOOKUP_GUID: abnLookup.guid,
  ARCHIVE_CDX_URL: archive.url,
  ARCHIVE_PAGES_URL: archive.pagesUrl,
  ARCHIVE_TITLES: 'on',
  ARCHIVE_SOURCE: 'sandbox',
  ARCHIVE_RATE_PER_MINUTE: '600',
  LIST_DELETED_URLS: lists.urls.deleted,
  LIST_EXPIRED_URLS: lists.urls.expired,
  LIST_PURGE_TIME_DELETED: purgeTimes.deleted,
  LIST_PURGE_TIME_EXPIRED: purgeTimes.expired,
  // Sample names do not belong among the backups of a real installation.
  BACKUP_DIR: undefined,
  BACKUP_S3_URL: undefined,
};
/** For ORDERS=on: by EPP, or with `npm run demo -- dreamscape` by the reseller API. */
const YEAR_CENTS = 'com.au:1100,net.au:1100,org.au:1100,asn.au:1100,au:1100';
const ordering = process.argv.includes('dreamscape')
  ? {
      EPP_ADDRESS: undefined,
      DREAMSCAPE_URL: reseller.url,
      DREAMSCAPE_KEY: reseller.key,
      DREAMSCAPE_YEAR_CENTS: YEAR_CENTS,
    }
  : {
      DREAMSCAPE_KEY: undefined,
      ...eppSettingsOf(registrar),
      EPP_REGISTRAR: 'Sandbox registrar',
      EPP_YEAR_CENTS: YEAR_CENTS,
    };
/** Of play money; accounts alone have it. */
const topUps = {
  ...settingsOf(cards),
  TOP_UP_FIRST_WAIT_HOURS: '0',
};
const noTopUps = { STRIPE_API_KEY: undefined, STRIPE_WEBHOOK_SECRET: undefined };

await serve(
  () => {
    const { auth } = readProcessConfig(defaults, { ...fixed, ...ordering, ...noTopUps });
    return readProcessConfig(defaults, { ...fixed, ...ordering, ...(auth.enabled ? topUps : noTopUps) });
  },
  {
    prepare: loadSampleNames,
    onListening(address, { auth, orders }) {
      cards.deliverTo(address);
      process.stdout.write(welcome(address, auth.enabled, orders.enabled));
    },
  },
);

// After a failed start the sandboxes must not keep the process alive.
if (process.exitCode)
  await Promise.all([
    cards.close(),
    abnLookup.close(),
    registrar.close(),
    reseller.close(),
    registry.close(),
    archive.close(),
    lists.close(),
  ]);
