import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { join, resolve } from 'node:path';
import { readTiers } from '../tiers/tier-overrides.js';
import type { TierName, TierTable } from '../tiers/tiers.js';
import { isObject } from '../validation/is-object.js';
import { readSite, type SiteSettings } from './site-settings.js';
import {
  addressOf,
  hostNames,
  isConfidential,
  parseHostPort,
  parseTrustProxy,
  type TrustProxy,
} from './addresses.js';
import { type Bucket, parseBucketAddress } from './bucket-address.js';
import { Env, isSet, SECRETS } from './env.js';
import type { ListKind } from './list-kinds.js';
import { operatorKeyOf } from './operators.env.js';
import { tiersByPrice } from './payments.env.js';

/** When the purges of a day run, HH:MM:SS in UTC, by the kind of list. */
export type PurgeTimes = Readonly<Record<ListKind, string>>;

/** Where one part of the official drop list is published. */
export interface ListAddress {
  readonly url: string;
  readonly kind: ListKind;
}

/** The values the service runs on, grouped by the part that needs them. Frozen; made by {@link readConfig} only. */
export class Config {
  readonly http: {
    port: number;
    host: string;
    trustProxy: TrustProxy;
    corsOrigins: readonly string[];
    /** Between the word that it stops and the end of listening. */
    shutdownNoticeMs: number;
    shutdownGraceMs: number;
  };
  readonly database: {
    url: string | undefined;
    /** The server itself, where `url` leads to a pool of its connections. */
    directUrl: string | undefined;
    /** Copies of it that reads may go to. */
    replicaUrls: readonly string[];
    replicaMaxLagMs: number;
    poolSize: number;
    timeoutMs: number;
    dataDir: string;
  };
  /** url undefined: each instance counts for itself, or PostgreSQL for all. */
  readonly redis: { url: string | undefined };
  readonly auth: {
    enabled: boolean;
    secret: string;
    /** Whether accounts can connect apps (OAuth 2.1), which takes an address that nobody can listen in on. */
    takesApps: boolean;
    /** What is signed with any of them is accepted; `secret` is the first. */
    secrets: readonly string[];
  };
  /** smtpUrl undefined: mail is written to the log. */
  readonly mail: { smtpUrl: string | undefined; from: string };
  readonly webhooks: {
    readonly enabled: boolean;
    /** 32 bytes in base64, when enabled. */
    readonly secretKey: string;
    /** The keys that may open a secret, the one that seals them first. */
    readonly openingKeys: readonly string[];
    readonly delivers: boolean;
    readonly allowsLoopback: boolean;
    readonly timeoutMs: number;
    /** Before each attempt, the first included. */
    readonly retrySeconds: readonly number[];
  };
  /** The dataset as files. */
  readonly exports: {
    readonly enabled: boolean;
    readonly folder: string;
    /** Where they are kept instead, and the folder is only where they are made. */
    readonly bucket: Bucket | undefined;
    /** When the snapshot of a day is made, HH:MM:SS in UTC. */
    readonly time: string;
    readonly hourly: boolean;
    readonly keepSnapshots: number;
    readonly keepDiffDays: number;
  };
  /** The jobs that keep the dataset true. */
  readonly jobs: { enabled: boolean };
  readonly registry: {
    rdapUrl: string;
    rdapUrlIsDefault: boolean;
    source: 'rdap' | 'sandbox';
    bootstrapUrl: string | undefined;
    availabilityService: { host: string; port: number } | undefined;
    ratePerSecond: number;
    burst: number;
    timeoutMs: number;
    maxWaitMs: number;
    breakerFailures: number;
    breakerOpenMs: number;
    cacheRegisteredSeconds: number;
    cacheAvailableSeconds: number;
    /** Names that are surely registered; none: nobody looks. */
    canaries: readonly string[];
    notFoundWordings: readonly string[];
  };
  /** Where the official drop lists are fetched; no address: nowhere. */
  readonly lists: {
    readonly addresses: readonly ListAddress[];
    readonly pollMs: number;
    readonly timeoutMs: number;
    /** When the purges of a day run, HH:MM:SS in UTC. */
    readonly purgeTimes: PurgeTimes;
  };
  readonly truth: { readonly samplePerDay: number };
  readonly lifecycle: { secondAnswerMs: number; offerMaxAgeMs: number; maxFlipsPerHour: number };
  /** Where names are scored; no address: nowhere. */
  readonly archive: {
    readonly cdxUrl: string | undefined;
    readonly source: 'archive' | 'sandbox';
    readonly ratePerMinute: number;
    readonly timeoutMs: number;
  };
  /** What tells of subscriptions; no secret: nobody. */
  readonly payments: {
    readonly secret: string | undefined;
    /** By the id of a price. */
    readonly tiers: Readonly<Record<string, TierName>>;
  };
  /** Who may operate the service over HTTP; none: nobody. */
  readonly operators: {
    /** SHA-256 of each key in hexadecimal digits, by the name of its holder. */
    readonly keys: readonly { readonly name: string; readonly hash: string }[];
    /** undefined: the main one. */
    readonly port: number | undefined;
    readonly host: string;
    readonly maxUploadBytes: number;
  };
  readonly suggest: { timeCapMs: number };
  /** Whose requests the tool server answers: host names without ports, an IPv6 address in brackets. */
  readonly mcp: { allowedHosts: readonly string[]; allowedOrigins: readonly string[] };
  /** Where the links of a name point. */
  readonly links: {
    baseUrl: string;
    registerUrlTemplate: string;
    termsUrl: string | null;
    securityContact: string | undefined;
  };
  /** What pages for people show. */
  readonly site: SiteSettings;
  readonly tiers: TierTable;
  /** For who watches the service; neither: there are no metrics. */
  readonly metrics: { readonly port: number | undefined; readonly token: string | undefined };
  /** Where traces go; undefined: nothing is traced. */
  readonly tracing: { readonly endpoint: string | undefined };
  readonly logLevel: string;
}

export function hasMetrics({ metrics }: Config): boolean {
  return metrics.port !== undefined || metrics.token !== undefined;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Thrown by {@link readConfig}; `problems` has one line for each thing that is wrong. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

/**
 * Reads and judges the environment. Empty variables count as not set, but for lists of which the empty one means something.
 *
 * @throws {ConfigError} naming every problem at once
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const known = Object.keys(new Env());
  const given = Object.entries(environment).filter(
    ([name, value]) => known.includes(name) && isSet(name, value),
  );
  const env = plainToInstance(Env, Object.fromEntries(given), { exposeDefaultValues: true });
  const problems = validateSync(env, { stopAtFirstError: true }).flatMap(({ property, constraints }) =>
    Object.values(constraints ?? {}).map((message) => message + quoted(property, environment[property])),
  );
  if (env.AUTH === 'on' && env.AUTH_SECRET === undefined)
    problems.push('AUTH=on needs AUTH_SECRET, such as `openssl rand -base64 32` makes');
  if (env.LIST_DELETED_URLS.some((url) => env.LIST_EXPIRED_URLS.includes(url)))
    problems.push('LIST_DELETED_URLS and LIST_EXPIRED_URLS must not name the same address');
  if (env.DATABASE_DIRECT_URL !== undefined && env.DATABASE_URL === undefined)
    problems.push('DATABASE_DIRECT_URL needs DATABASE_URL, which leads to the same server');
  if (env.DATABASE_REPLICA_URLS.length > 0 && env.DATABASE_URL === undefined)
    problems.push('DATABASE_REPLICA_URLS needs DATABASE_URL, which they are replicas of');
  if (env.WEBHOOKS === 'on' && env.AUTH !== 'on') problems.push('WEBHOOKS=on needs AUTH=on');
  if (env.WEBHOOKS === 'on' && env.WEBHOOK_SECRET_KEY === undefined)
    problems.push('WEBHOOKS=on needs WEBHOOK_SECRET_KEY');
  if (env.STRIPE_WEBHOOK_SECRET !== undefined && env.AUTH !== 'on')
    problems.push('STRIPE_WEBHOOK_SECRET needs AUTH=on');
  if (env.EXPORTS === 'on' && env.AUTH !== 'on') problems.push('EXPORTS=on needs AUTH=on');
  const trustProxy = parseTrustProxy(env.TRUST_PROXY, problems);
  const { tiers, problems: tierProblems } = readTiers(env.TIERS);
  problems.push(...tierProblems);
  const site = readSite(env, problems);
  if (problems.length > 0) throw new ConfigError(problems);

  const baseUrl = (env.BASE_URL ?? `http://${addressOf(env.HOST)}:${env.PORT}`).replace(/\/+$/, '');
  return deepFreeze({
    http: {
      port: env.PORT,
      host: env.HOST,
      trustProxy,
      corsOrigins: env.CORS_ORIGINS,
      shutdownNoticeMs: env.SHUTDOWN_NOTICE_MS,
      shutdownGraceMs: env.SHUTDOWN_GRACE_MS,
    },
    database: {
      url: env.DATABASE_URL,
      directUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL,
      replicaUrls: env.DATABASE_REPLICA_URLS,
      replicaMaxLagMs: env.REPLICA_MAX_LAG_MS,
      poolSize: env.DATABASE_POOL_SIZE,
      timeoutMs: env.DATABASE_TIMEOUT_MS,
      dataDir: resolve(env.DATA_DIR),
    },
    redis: { url: env.REDIS_URL },
    auth: {
      enabled: env.AUTH === 'on',
      secret: env.AUTH_SECRET ?? '',
      takesApps: env.AUTH === 'on' && isConfidential(baseUrl),
      secrets: [env.AUTH_SECRET, env.AUTH_SECRET_ALSO].filter((secret) => secret !== undefined),
    },
    mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM },
    webhooks: {
      enabled: env.WEBHOOKS === 'on',
      secretKey: env.WEBHOOK_SECRET_KEY ?? '',
      openingKeys: [env.WEBHOOK_SECRET_KEY, env.WEBHOOK_SECRET_KEY_ALSO].filter((key) => key !== undefined),
      delivers: env.WEBHOOK_WORKER === 'on',
      allowsLoopback: env.WEBHOOK_ALLOW_LOOPBACK === 'on',
      timeoutMs: env.WEBHOOK_TIMEOUT_MS,
      retrySeconds: env.WEBHOOK_RETRY_SECONDS.map(Number),
    },
    exports: {
      enabled: env.EXPORTS === 'on',
      folder: resolve(env.EXPORT_DIR ?? join(env.DATA_DIR, 'exports')),
      bucket: (env.EXPORT_S3_URL && parseBucketAddress(env.EXPORT_S3_URL)) || undefined,
      time: env.EXPORT_TIME,
      hourly: env.EXPORT_HOURLY === 'on',
      keepSnapshots: env.EXPORT_KEEP_SNAPSHOTS,
      keepDiffDays: env.EXPORT_KEEP_DIFF_DAYS,
    },
    jobs: { enabled: env.DATASET_JOBS === 'on' },
    registry: {
      rdapUrl: env.REGISTRY_RDAP_URL.replace(/\/*$/, '/'),
      rdapUrlIsDefault: env.REGISTRY_RDAP_URL === new Env().REGISTRY_RDAP_URL,
      source: env.REGISTRY_SOURCE,
      bootstrapUrl: env.REGISTRY_BOOTSTRAP_URL === 'off' ? undefined : env.REGISTRY_BOOTSTRAP_URL,
      availabilityService: parseHostPort(env.REGISTRY_AVAILABILITY_SERVICE),
      ratePerSecond: env.REGISTRY_RATE_PER_SECOND,
      burst: env.REGISTRY_BURST,
      timeoutMs: env.REGISTRY_TIMEOUT_MS,
      maxWaitMs: env.REGISTRY_MAX_WAIT_MS,
      breakerFailures: env.REGISTRY_BREAKER_FAILURES,
      breakerOpenMs: env.REGISTRY_BREAKER_OPEN_MS,
      cacheRegisteredSeconds: env.REGISTRY_CACHE_REGISTERED_SECONDS,
      cacheAvailableSeconds: env.REGISTRY_CACHE_AVAILABLE_SECONDS,
      canaries: env.REGISTRY_CANARIES,
      notFoundWordings: env.REGISTRY_NOT_FOUND_WORDINGS,
    },
    lists: {
      addresses: listAddresses(env),
      pollMs: env.LIST_POLL_MINUTES * 60_000,
      timeoutMs: env.LIST_TIMEOUT_MS,
      purgeTimes: { deleted: env.LIST_PURGE_TIME_DELETED, expired: env.LIST_PURGE_TIME_EXPIRED },
    },
    truth: { samplePerDay: env.SAMPLE_PER_DAY },
    lifecycle: {
      secondAnswerMs: env.REGISTRY_SECOND_ANSWER_MINUTES * MINUTE_MS,
      offerMaxAgeMs: env.OFFER_MAX_AGE_DAYS * DAY_MS,
      maxFlipsPerHour: env.REGISTRY_MAX_FLIPS_PER_HOUR,
    },
    archive: {
      cdxUrl: env.ARCHIVE_CDX_URL === 'off' ? undefined : env.ARCHIVE_CDX_URL,
      source: env.ARCHIVE_SOURCE,
      ratePerMinute: env.ARCHIVE_RATE_PER_MINUTE,
      timeoutMs: env.ARCHIVE_TIMEOUT_MS,
    },
    payments: { secret: env.STRIPE_WEBHOOK_SECRET, tiers: tiersByPrice(env.STRIPE_PRICE_TIERS) },
    operators: {
      keys: env.OPERATOR_KEY_HASH.map(operatorKeyOf),
      port: env.OPS_PORT,
      host: env.OPS_HOST,
      maxUploadBytes: env.OPS_UPLOAD_MAX_MB * 1_000_000,
    },
    suggest: { timeCapMs: env.SUGGEST_TIME_CAP_MS },
    mcp: {
      allowedHosts: hostNames(baseUrl, env.MCP_ALLOWED_HOSTS),
      allowedOrigins: hostNames(baseUrl, env.MCP_ALLOWED_ORIGINS),
    },
    links: {
      baseUrl,
      registerUrlTemplate: env.REGISTER_URL_TEMPLATE,
      termsUrl: env.TERMS_URL ?? null,
      securityContact: env.SECURITY_CONTACT,
    },
    site,
    tiers,
    metrics: { port: env.METRICS_PORT, token: env.METRICS_TOKEN },
    tracing: { endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT },
    logLevel: env.LOG_LEVEL,
  });
}

const quoted = (name: string, value: string | undefined) =>
  (SECRETS as readonly string[]).includes(name) || /:\/\/[^/]*@/.test(value ?? '')
    ? ''
    : `, not ${JSON.stringify(value)}`;

function listAddresses({ LIST_DELETED_URLS, LIST_EXPIRED_URLS }: Env): ListAddress[] {
  const addresses = (kind: ListKind, urls: readonly string[]) =>
    [...new Set(urls)].map((url) => ({ url, kind }));
  return [...addresses('deleted', LIST_DELETED_URLS), ...addresses('expired', LIST_EXPIRED_URLS)];
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (isObject(inner) || Array.isArray(inner)) deepFreeze(inner);
  return Object.freeze(value);
}
