import { DATASET_SETTINGS } from './dataset-settings.js';
import { ORDER_SETTINGS } from './order-settings.js';
import { PAGE_SETTINGS } from './page-settings.js';
import { REGISTRAR_SETTINGS } from './registrar-settings.js';
import * as parse from './parsers.js';
import { type Setting, type ValuesOf, defaultOf, kindOf, wrap } from './setting.js';

const MINUTE_MS = 60_000;
const OBSERVABLE = { type: 'choice', default: 'on', of: ['off', 'observe', 'on'] } as const;

/**
 * Every variable of the environment that the service reads: THE table. `.env.example`, the checks at the start,
 * `--help` and the table of docs/operations/install.md come from it, and the types of `Config`. A new setting is
 * one entry here, one line in Config and one in docker-compose.yml.
 */
export const SETTINGS = {
  // Addresses
  PORT: {
    type: 'integer',
    default: 3000,
    min: 0,
    max: 65_535,
    words: 'TCP port of the HTTP server. 0 takes a free port; links then need BASE_URL.',
  },
  HOST: {
    type: 'text',
    default: '0.0.0.0',
    parse: parse.host,
    words: 'Address the HTTP server binds to; the demo binds to 127.0.0.1 by default.',
  },
  BASE_URL: {
    type: 'text',
    parse: parse.httpUrl,
    isEssential: true,
    words: 'Public address for links. Unset: http://HOST:PORT.',
  },
  TRUST_PROXY: {
    type: 'text',
    default: 'off',
    parse: parse.trustProxy,
    isEssential: true,
    words:
      'Proxies whose X-Forwarded-For is trusted: addresses and CIDRs, or a number of hops if only they reach the port.',
  },
  CORS_ORIGINS: {
    type: 'list',
    default: '*',
    words: 'Origins whose pages may call the API from a browser: `*` or a list.',
  },
  MCP_ALLOWED_HOSTS: {
    type: 'list',
    parse: parse.hostName,
    words: 'Host names that /mcp answers to, besides those of BASE_URL and loopback; without ports.',
  },
  MCP_ALLOWED_ORIGINS: {
    type: 'list',
    parse: parse.hostName,
    words: 'Host names whose pages may call /mcp from a browser, besides the same; without scheme and port.',
  },

  ADMISSION: {
    ...OBSERVABLE,
    words:
      '`on` refuses requests that would wait too long with 503 `overloaded`, paid tiers last. `observe` only ' +
      'logs and counts them.',
  },
  ADMISSION_LIMIT: {
    type: 'integer',
    default: 64,
    min: 1,
    max: 10_000,
    words:
      'Requests that a process works on at once; others wait for a moment. Waiting for a registry is no work.',
  },

  NETWORK_LIMITS: {
    ...OBSERVABLE,
    words:
      '`on` counts callers without an account also by network (/24, /56, /48), and connections by address. `observe` ' +
      'only logs what would be refused.',
  },
  PROOF_OF_WORK: {
    ...OBSERVABLE,
    words:
      '`on` wants a second of computing, or a wait, from browsers without an account in a network that has had ' +
      'half of its list pages. `observe` only logs and counts them.',
  },

  // Database and counters
  DATABASE_URL: {
    type: 'text',
    parse: parse.postgresUrl,
    isSecret: true,
    isEssential: true,
    words: 'PostgreSQL 15 to 18. Unset: an embedded PostgreSQL 18 in DATA_DIR.',
  },
  DATABASE_POOL_SIZE: {
    type: 'integer',
    default: 10,
    min: 2,
    max: 200,
    words:
      'Connections in each of the two pools of a process: one pool for searches, one for the rest. ' +
      'WEBHOOKS=on and the embedded PostgreSQL take one connection more each.',
  },
  DATABASE_DIRECT_URL: {
    type: 'text',
    parse: parse.postgresUrl,
    isSecret: true,
    words:
      'PostgreSQL itself, for work that needs a session, when DATABASE_URL is a PgBouncer in transaction mode.',
  },
  DATABASE_REPLICA_URLS: {
    type: 'list',
    parse: parse.postgresUrl,
    isSecret: true,
    words: 'Streaming replicas of DATABASE_URL; reads use them in turn. Write a comma in a password as %2C.',
  },
  REPLICA_MAX_LAG_MS: {
    type: 'integer',
    default: 2000,
    min: 100,
    max: MINUTE_MS,
    words:
      'Milliseconds a replica may be behind and still serve reads; also the longest wait for replicas ' +
      'after a check that changed something.',
  },
  DATABASE_TIMEOUT_MS: {
    type: 'integer',
    default: 3000,
    min: 100,
    max: MINUTE_MS,
    words:
      'Milliseconds a request waits for a free connection, and then for one statement, before the answer is 503.',
  },
  READ_DEADLINE_MS: {
    type: 'integer',
    default: 10_000,
    min: 100,
    max: MINUTE_MS,
    words: 'Milliseconds after which PostgreSQL ends the reads of a request, and the answer is 503.',
  },
  REDIS_URL: {
    type: 'text',
    parse: parse.redisUrl,
    isSecret: true,
    words:
      'Redis or Valkey 7 or newer, where all instances count requests, records of a minute and sign-in ' +
      'attempts: redis:// or rediss://USER:PASSWORD@HOST:PORT. Unset: each instance counts requests, ' +
      'PostgreSQL the rest.',
  },
  DATA_DIR: {
    type: 'text',
    default: '.bowerbird',
    words: 'Folder of the embedded PostgreSQL.',
  },

  // Backups
  BACKUP_DIR: {
    type: 'text',
    words: 'Folder of scheduled backups, on another machine or at least another disk.',
  },
  BACKUP_S3_URL: {
    type: 'text',
    parse: parse.bucket,
    isSecret: true,
    words: 'The same in a bucket, written as EXPORT_S3_URL. Neither: no backup is made by itself.',
  },
  BACKUP_KEY: {
    type: 'text',
    parse: parse.encryptionKey,
    isSecret: true,
    words:
      'Encrypts backups; needed by both, 32 bytes in base64. Keep it elsewhere: without it a backup is lost.',
  },
  BACKUP_KEY_ALSO: {
    type: 'text',
    parse: parse.encryptionKey,
    isSecret: true,
    words: 'The previous BACKUP_KEY, which opens older backups.',
  },
  BACKUP_TIME: {
    type: 'text',
    default: '16:00:00',
    parse: parse.timeOfDay,
    words: 'When the backup of a day is made, in UTC. Between two, the embedded server sends its log.',
  },
  BACKUP_KEEP: {
    type: 'text',
    default: '7,4,6',
    parse: parse.retention,
    words: 'Backups that are kept: of so many days, weeks and months, each its newest.',
  },

  // Accounts
  AUTH: {
    type: 'switch',
    default: 'off',
    isEssential: true,
    words: '`on` turns accounts and API keys on; `off` serves all callers as the demo tier.',
  },
  AUTH_SECRET: {
    type: 'text',
    parse: parse.secret,
    isSecret: true,
    isEssential: true,
    words:
      'Signs sessions; needed by AUTH=on, the same for all instances. `openssl rand -base64 32` makes one.',
  },
  AUTH_SECRET_ALSO: {
    type: 'text',
    parse: parse.secret,
    isSecret: true,
    words: 'A second AUTH_SECRET that is accepted, the next or the previous, while instances are rotated.',
  },
  WATCH_LINK_SECRET: {
    type: 'text',
    parse: parse.secret,
    isSecret: true,
    words:
      'Signs feed addresses and the unsubscribe links of mails, which people keep. Unset: AUTH_SECRET; ' +
      'the links then end when it is replaced.',
  },
  SMTP_URL: {
    type: 'text',
    parse: parse.smtpUrl,
    isSecret: true,
    isEssential: true,
    words: 'Mail server: smtp:// or smtps://USER:PASSWORD@HOST:PORT. Unset: mail is logged.',
  },
  MAIL_FROM: {
    type: 'text',
    default: 'bowerbird@localhost',
    parse: parse.email,
    words: 'Sender of mail to account holders.',
  },
  TIERS: {
    type: 'text',
    parse: parse.tierTable,
    words: 'Changes to the tier table, as JSON such as {"demo":{"recordsPerMinute":10}}.',
  },
  STRIPE_WEBHOOK_SECRET: {
    type: 'text',
    parse: parse.stripeSecret,
    isSecret: true,
    words:
      'Signing secret of the Stripe webhook that reports subscriptions to /payments/stripe; needs ' +
      'AUTH=on. Unset: the address does not exist.',
  },
  STRIPE_PRICE_TIERS: {
    type: 'list',
    parse: parse.priceTier,
    words: 'Which Stripe price pays for which tier, as PRICE:TIER.',
  },

  // Webhooks
  WEBHOOKS: {
    type: 'switch',
    default: 'off',
    words: '`on` turns webhooks on; needs AUTH=on.',
  },
  WEBHOOK_SECRET_KEY: {
    type: 'text',
    parse: parse.encryptionKey,
    isSecret: true,
    words:
      'Encrypts the secrets of webhooks; needed by WEBHOOKS=on, 32 bytes in base64. `openssl rand -base64 ' +
      '32` makes one.',
  },
  WEBHOOK_SECRET_KEY_ALSO: {
    type: 'text',
    parse: parse.encryptionKey,
    isSecret: true,
    words:
      'A second WEBHOOK_SECRET_KEY that decrypts, the next or the previous, while instances are rotated.',
  },
  WEBHOOK_WORKER: {
    type: 'switch',
    default: 'on',
    words: 'Whether this process delivers webhooks; `off` leaves that to `node dist/cli.js worker`.',
  },
  WEBHOOK_ALLOW_LOOPBACK: {
    type: 'switch',
    default: 'off',
    words: '`on` lets webhooks go to this machine, also by http://. For tests only.',
  },
  WEBHOOK_TIMEOUT_MS: {
    type: 'integer',
    default: 15_000,
    min: 50,
    max: MINUTE_MS,
    words: 'Milliseconds one delivery of a webhook may take.',
  },
  WEBHOOK_UNPROVEN_PACE_SECONDS: {
    type: 'integer',
    default: 10,
    min: 0,
    max: 3_600,
    words:
      'Seconds between deliveries of one account to hosts that it has not proven to own; 0: no proof is needed.',
  },
  WEBHOOK_RETRY_SECONDS: {
    type: 'list',
    default: '0,5,300,1800,7200,18000,36000,50400,72000,86400',
    parse: parse.seconds,
    words: 'Seconds before each attempt to deliver a webhook, the first included.',
  },

  ...ORDER_SETTINGS,
  ...REGISTRAR_SETTINGS,
  ...PAGE_SETTINGS,
  // Operation
  OPERATOR_KEY_HASH: {
    type: 'list',
    parse: parse.operatorKey,
    isSecret: true,
    isEssential: true,
    words:
      'Operators at /ops: NAME:HASH:ROLE:DAY for each key, as `operator-key NAME` prints. Unset: no such address.',
  },
  OPS_PORT: {
    type: 'integer',
    min: 0,
    max: 65_535,
    words: 'Separate TCP port for /ops. Unset: PORT.',
  },
  OPS_HOST: {
    type: 'text',
    default: '127.0.0.1',
    parse: parse.host,
    words: 'Address that OPS_PORT binds to.',
  },
  OPS_UPLOAD_MAX_MB: {
    type: 'integer',
    default: 64,
    min: 1,
    max: 4096,
    words: 'Largest list an operator may upload, in megabytes, compressed or not.',
  },
  METRICS_PORT: {
    type: 'integer',
    min: 0,
    max: 65_535,
    isEssential: true,
    words: 'Separate TCP port for /metrics, on HOST. Neither this nor METRICS_TOKEN: no metrics.',
  },
  METRICS_TOKEN: {
    type: 'text',
    parse: parse.secret,
    isSecret: true,
    words: 'Bearer token for /metrics, on METRICS_PORT or else PORT.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    type: 'text',
    parse: parse.httpUrl,
    words:
      'Collector of traces of requests and job runs, OTLP over HTTP: http://HOST:4318. Unset: no traces.',
  },
  OTEL_SERVICE_NAME: {
    type: 'text',
    default: 'bowerbird',
    words: 'service.name of the traces.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    type: 'number',
    default: 1,
    min: 0,
    max: 1,
    words: "Share of traces that are sent. A caller's traceparent can ask for fewer, not for more.",
  },
  LOG_LEVEL: {
    type: 'choice',
    default: 'info',
    of: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    words: 'Lowest level that is logged.',
  },
  SHUTDOWN_NOTICE_MS: {
    type: 'integer',
    default: 5000,
    min: 0,
    max: 600_000,
    words:
      'Milliseconds the service still serves after SIGTERM while /readyz answers 503: more than the load ' +
      'balancer needs to notice. 0 in the demo.',
  },
  SHUTDOWN_GRACE_MS: {
    type: 'integer',
    default: 8000,
    min: 0,
    max: 600_000,
    words: 'Milliseconds a stopping service waits for requests in progress.',
  },

  ...DATASET_SETTINGS,
} as const satisfies Record<string, Setting>;

type SettingName = keyof typeof SETTINGS;
export type Values = ValuesOf<typeof SETTINGS>;
export const SETTING_NAMES = Object.keys(SETTINGS).filter(isSettingName);
export const SECRETS: readonly SettingName[] = SETTING_NAMES.filter((name) => 'isSecret' in SETTINGS[name]);

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

const WIDTH = 118;

/** The text of `.env.example`, which `npm run contract` writes. */
export function envExample(): string {
  const entries = rows().map(({ name, setting }) => {
    const value = defaultOf(setting);
    const comment = wrap(setting.words, WIDTH).map((line) => `# ${line}`);
    return [...comment, value === undefined ? `#${name}=` : `${name}=${value}`].join('\n');
  });
  return [
    '# Every setting, with its default. Made from src/config/settings.ts (npm run contract).',
    ...entries,
    '',
  ]
    .join('\n\n')
    .replace(/\n\n$/, '\n');
}

/** What `node dist/main.js --help` prints. */
export function settingsHelp(): string {
  const entries = rows().map(({ name, setting }) => {
    const value = defaultOf(setting);
    const unset = setting.isSecret ? `secret, also as a file: ${name}_FILE` : 'unset by default';
    const facts = `${kindOf(setting)}; ${value === undefined ? unset : `default ${value}`}`;
    return [`${name} (${facts})`, ...wrap(setting.words, WIDTH - 2).map((line) => `  ${line}`)].join('\n');
  });
  return ['Bowerbird reads these variables of its environment.', ...entries, ''].join('\n\n');
}

/** The settings that most installations set, as docs/operations/install.md shows them. */
export function essentialSettings(): string {
  const essential = rows().filter(({ setting }) => setting.isEssential);
  return essential.map(({ name, setting }) => `- \`${name}\`: ${setting.words}`).join('\n');
}

function rows(): { readonly name: string; readonly setting: Setting }[] {
  return SETTING_NAMES.map((name) => ({ name, setting: SETTINGS[name] }));
}
