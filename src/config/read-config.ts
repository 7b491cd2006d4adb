import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { join, resolve } from 'node:path';
import { readTiers } from './tiers.js';
import { isObject } from '../validation/unknown-values.js';
import { addressOf, hostNames, isConfidential, parseHostPort, parseTrustProxy } from './addresses.js';
import { parseBucketAddress } from './bucket-address.js';
import { ConfigError } from './config-error.js';
import type { Config, ListAddress } from './config.js';
import { Env, isSet, SECRETS } from './env.js';
import type { ListKind } from './product.js';
import { operatorKeyOf } from './operators.env.js';
import { tiersByPrice } from './payments.env.js';
import { readSite } from './site-settings.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

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
  problems.push(...problemsBetween(env));
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
      secrets: thoseGiven(env.AUTH_SECRET, env.AUTH_SECRET_ALSO),
      linkSecrets: thoseGiven(env.WATCH_LINK_SECRET, env.AUTH_SECRET, env.AUTH_SECRET_ALSO),
    },
    mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM },
    webhooks: {
      enabled: env.WEBHOOKS === 'on',
      secretKey: env.WEBHOOK_SECRET_KEY ?? '',
      openingKeys: [env.WEBHOOK_SECRET_KEY, env.WEBHOOK_SECRET_KEY_ALSO].filter((key) => key !== undefined),
      delivers: env.WEBHOOK_WORKER === 'on',
      allowsLoopback: env.WEBHOOK_ALLOW_LOOPBACK === 'on',
      timeoutMs: env.WEBHOOK_TIMEOUT_MS,
      unprovenPaceSeconds: env.WEBHOOK_UNPROVEN_PACE_SECONDS,
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

/** What no variable shows alone: those that need another, or exclude it. */
function problemsBetween(env: Env): string[] {
  const problems: string[] = [];
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
  return problems;
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

function thoseGiven(...secrets: readonly (string | undefined)[]): string[] {
  return secrets.filter((secret) => secret !== undefined);
}
