import { type DynamicModule, Module } from '@nestjs/common';
import { join, resolve } from 'node:path';
import type { Bucket, Registrar } from './parsers.js';
import type { ListKind } from './product.js';
import { SETTINGS, type Values } from './settings.js';
import { TIERS } from './tiers.js';
import { isObject } from '../validation/unknown-values.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** When the purges of a day run, HH:MM:SS in UTC, by the kind of list. */
export type PurgeTimes = Readonly<Record<ListKind, string>>;

/** Where one part of the official drop list is published. */
export interface ListAddress {
  readonly url: string;
  readonly kind: ListKind;
}

/** The settings in force, grouped by the room that reads them; frozen. Types follow from the table of settings. */
export class Config {
  readonly http;
  readonly networks;
  readonly admission;
  readonly database;
  readonly backup;
  readonly redis;
  readonly auth;
  readonly mail;
  readonly webhooks;
  readonly exports;
  readonly jobs;
  readonly registry;
  readonly lists;
  readonly truth;
  readonly lifecycle;
  readonly archive;
  readonly payments;
  readonly orders;
  readonly registrars;
  readonly operators;
  readonly suggest;
  readonly mcp;
  readonly links;
  readonly site;
  readonly tiers;
  readonly metrics;
  readonly tracing;
  readonly logLevel;

  constructor(values: Values) {
    const baseUrl = (values.BASE_URL ?? `http://${linkHost(values.HOST)}:${values.PORT}`).replace(/\/+$/, '');
    this.http = {
      port: values.PORT,
      host: values.HOST,
      trustProxy: values.TRUST_PROXY,
      corsOrigins: values.CORS_ORIGINS,
      readDeadlineMs: values.READ_DEADLINE_MS,
      shutdownNoticeMs: values.SHUTDOWN_NOTICE_MS,
      shutdownGraceMs: values.SHUTDOWN_GRACE_MS,
    };
    this.networks = { mode: values.NETWORK_LIMITS, proofOfWork: values.PROOF_OF_WORK };
    this.admission = { mode: values.ADMISSION, limit: values.ADMISSION_LIMIT };
    this.database = {
      /** undefined: the embedded server in dataDir. */
      url: values.DATABASE_URL,
      /** The server itself where `url` leads to a connection pooler. */
      directUrl: values.DATABASE_DIRECT_URL ?? values.DATABASE_URL,
      replicaUrls: values.DATABASE_REPLICA_URLS,
      replicaMaxLagMs: values.REPLICA_MAX_LAG_MS,
      poolSize: values.DATABASE_POOL_SIZE,
      timeoutMs: values.DATABASE_TIMEOUT_MS,
      dataDir: resolve(values.DATA_DIR),
    };
    this.backup = {
      /** null: no backup is made by itself. */
      place: backupPlace(values.BACKUP_DIR, values.BACKUP_S3_URL),
      /** Any of them may open a backup; the first seals. */
      keys: given(values.BACKUP_KEY, values.BACKUP_KEY_ALSO),
      time: values.BACKUP_TIME,
      keep: values.BACKUP_KEEP,
    };
    this.redis = { url: values.REDIS_URL };
    this.auth = {
      enabled: values.AUTH,
      secret: values.AUTH_SECRET ?? '',
      /** Whether apps can connect to accounts (OAuth 2.1), which needs a confidential address. */
      takesApps: values.AUTH && isConfidential(baseUrl),
      /** A signature by any of them is accepted; `secret` is the first. */
      secrets: given(values.AUTH_SECRET, values.AUTH_SECRET_ALSO),
      linkSecrets: given(values.WATCH_LINK_SECRET, values.AUTH_SECRET, values.AUTH_SECRET_ALSO),
    };
    this.mail = { smtpUrl: values.SMTP_URL, from: values.MAIL_FROM };
    this.webhooks = {
      enabled: values.WEBHOOKS,
      secretKey: values.WEBHOOK_SECRET_KEY ?? '',
      /** Any of them may decrypt a secret; the first encrypts. */
      openingKeys: given(values.WEBHOOK_SECRET_KEY, values.WEBHOOK_SECRET_KEY_ALSO),
      delivers: values.WEBHOOK_WORKER,
      allowsLoopback: values.WEBHOOK_ALLOW_LOOPBACK,
      timeoutMs: values.WEBHOOK_TIMEOUT_MS,
      unprovenPaceSeconds: values.WEBHOOK_UNPROVEN_PACE_SECONDS,
      retrySeconds: values.WEBHOOK_RETRY_SECONDS,
    };
    this.exports = {
      enabled: values.EXPORTS,
      folder: resolve(values.EXPORT_DIR ?? join(values.DATA_DIR, 'exports')),
      bucket: values.EXPORT_S3_URL,
      time: values.EXPORT_TIME,
      hourly: values.EXPORT_HOURLY,
      keepSnapshots: values.EXPORT_KEEP_SNAPSHOTS,
      keepDiffDays: values.EXPORT_KEEP_DIFF_DAYS,
    };
    this.jobs = { enabled: values.DATASET_JOBS };
    this.registry = {
      rdapUrl: values.REGISTRY_RDAP_URL.replace(/\/*$/, '/'),
      rdapUrlIsDefault: values.REGISTRY_RDAP_URL === SETTINGS.REGISTRY_RDAP_URL.default,
      source: values.REGISTRY_SOURCE,
      bootstrapUrl: values.REGISTRY_BOOTSTRAP_URL,
      availabilityService: values.REGISTRY_AVAILABILITY_SERVICE,
      ratePerSecond: values.REGISTRY_RATE_PER_SECOND,
      policy: values.REGISTRY_POLICY,
      burst: values.REGISTRY_BURST,
      timeoutMs: values.REGISTRY_TIMEOUT_MS,
      maxWaitMs: values.REGISTRY_MAX_WAIT_MS,
      breakerFailures: values.REGISTRY_BREAKER_FAILURES,
      breakerOpenMs: values.REGISTRY_BREAKER_OPEN_MS,
      cacheRegisteredSeconds: values.REGISTRY_CACHE_REGISTERED_SECONDS,
      cacheAvailableSeconds: values.REGISTRY_CACHE_AVAILABLE_SECONDS,
      canaries: values.REGISTRY_CANARIES,
      /** Also where this process itself asks about none, such as a command. */
      hasCanaries: values.REGISTRY_CANARIES.length > 0,
      notFoundWordings: values.REGISTRY_NOT_FOUND_WORDINGS,
      parser: values.REGISTRY_PARSER,
      keepAnswersMonths: values.REGISTRY_ANSWERS_KEEP_MONTHS,
    };
    this.lists = {
      addresses: [
        ...listAddresses('deleted', values.LIST_DELETED_URLS),
        ...listAddresses('expired', values.LIST_EXPIRED_URLS),
      ],
      pollMs: values.LIST_POLL_MINUTES * MINUTE_MS,
      timeoutMs: values.LIST_TIMEOUT_MS,
      purgeTimes: { deleted: values.LIST_PURGE_TIME_DELETED, expired: values.LIST_PURGE_TIME_EXPIRED },
    };
    this.truth = { samplePerDay: values.SAMPLE_PER_DAY };
    this.lifecycle = {
      secondAnswerMs: values.REGISTRY_SECOND_ANSWER_MINUTES * MINUTE_MS,
      offerMaxAgeMs: values.OFFER_MAX_AGE_DAYS * DAY_MS,
      maxFlipsPerHour: values.REGISTRY_MAX_FLIPS_PER_HOUR,
      twoServicesMinScore: values.REGISTRY_SECOND_SERVICE_MIN_SCORE,
    };
    const pagesUrl = pagesUrlOf(values.ARCHIVE_CDX_URL, values.ARCHIVE_PAGES_URL);
    this.archive = {
      cdxUrl: values.ARCHIVE_CDX_URL,
      /** Where the text of former sites is read; undefined: it is not. */
      pagesUrl,
      /** Whether titles of former sites can be searched. */
      readsTitles: pagesUrl !== undefined && values.ARCHIVE_TITLES,
      source: values.ARCHIVE_SOURCE,
      ratePerMinute: values.ARCHIVE_RATE_PER_MINUTE,
      timeoutMs: values.ARCHIVE_TIMEOUT_MS,
    };
    this.payments = {
      secret: values.STRIPE_WEBHOOK_SECRET,
      /** By the id of a price. */
      tiers: Object.fromEntries(values.STRIPE_PRICE_TIERS),
      /** undefined: no card is charged. */
      cards:
        values.STRIPE_API_KEY === undefined
          ? undefined
          : { key: values.STRIPE_API_KEY, url: values.STRIPE_URL },
      isPlayMoney: values.STRIPE_API_KEY !== undefined && values.STRIPE_SOURCE === 'sandbox',
    };
    this.orders = {
      enabled: values.ORDERS,
      /** Any of them may decrypt; the first encrypts. */
      keys: given(values.ORDER_SECRET_KEY, values.ORDER_SECRET_KEY_ALSO),
      feeCents: values.ORDER_FEE_CENTS,
      gstPercent: values.ORDER_GST_PERCENT,
      /** As receipts name it. */
      seller: {
        name: values.SELLER_NAME,
        abn: values.SELLER_ABN ?? null,
        address: values.SELLER_ADDRESS ?? null,
      },
      fundsMinCents: values.ORDER_FUNDS_MIN_CENTS,
      creditAloneCents: values.ORDER_CREDIT_ALONE_CENTS,
      topUps: {
        minCents: values.TOP_UP_MIN_CENTS,
        dayMaxCents: values.TOP_UP_DAY_MAX_CENTS,
        firstMaxCents: values.TOP_UP_FIRST_MAX_CENTS,
        firstWaitMs: values.TOP_UP_FIRST_WAIT_HOURS * 60 * MINUTE_MS,
      },
    };
    this.registrars = {
      /** undefined: none. */
      epp: values.EPP_ADDRESS && {
        ...values.EPP_ADDRESS,
        registrar: values.EPP_REGISTRAR,
        client: values.EPP_CLIENT ?? '',
        password: values.EPP_PASSWORD ?? '',
        certificate: values.EPP_CERTIFICATE ?? '',
        key: values.EPP_KEY ?? '',
        ca: values.EPP_CA,
        sessions: values.EPP_SESSIONS,
        timeoutMs: values.EPP_TIMEOUT_MS,
        yearCents: Object.fromEntries(values.EPP_YEAR_CENTS),
        cancelWindowHours: values.EPP_CANCEL_HOURS,
      },
      /** undefined: none. */
      dreamscape:
        values.DREAMSCAPE_KEY === undefined
          ? undefined
          : {
              key: values.DREAMSCAPE_KEY,
              url: values.DREAMSCAPE_URL,
              timeoutMs: values.DREAMSCAPE_TIMEOUT_MS,
              yearCents: Object.fromEntries(values.DREAMSCAPE_YEAR_CENTS),
              cancelWindowHours: values.DREAMSCAPE_CANCEL_HOURS,
              pricesHaveGst: values.DREAMSCAPE_GST === 'included',
            },
      abnLookup: { url: values.ABN_LOOKUP_URL, guid: values.ABN_LOOKUP_GUID },
    };
    this.operators = {
      keys: values.OPERATOR_KEY_HASH,
      /** undefined: the port of the service. */
      port: values.OPS_PORT,
      host: values.OPS_HOST,
      maxUploadBytes: values.OPS_UPLOAD_MAX_MB * 1_000_000,
    };
    this.suggest = { timeCapMs: values.SUGGEST_TIME_CAP_MS };
    /** Host names without ports; an IPv6 address in brackets. */
    this.mcp = {
      allowedHosts: hostNames(baseUrl, values.MCP_ALLOWED_HOSTS),
      allowedOrigins: hostNames(baseUrl, values.MCP_ALLOWED_ORIGINS),
    };
    this.links = {
      baseUrl,
      registerUrlTemplate: values.REGISTER_URL_TEMPLATE,
      termsUrl: values.TERMS_URL ?? null,
      securityContact: values.SECURITY_CONTACT,
    };
    this.site = {
      registrars: values.REGISTRARS ?? [registrarOf(values.REGISTER_URL_TEMPLATE)],
      prices: values.PRICES ?? {},
      contact: values.SITE_CONTACT,
      abuseContact: values.ABUSE_CONTACT ?? values.SITE_CONTACT,
      /** Markdown files instead of the samples. */
      files: { about: values.ABOUT_PAGE, terms: values.TERMS_PAGE, privacy: values.PRIVACY_PAGE },
    };
    this.tiers = values.TIERS ?? TIERS;
    this.metrics = { port: values.METRICS_PORT, token: values.METRICS_TOKEN };
    this.tracing = {
      endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
      serviceName: values.OTEL_SERVICE_NAME,
      share: values.OTEL_TRACES_SAMPLER_ARG,
    };
    this.logLevel = values.LOG_LEVEL;
    deepFreeze(this);
  }
}

@Module({})
export class ConfigModule {
  static with(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: Config, useValue: config }],
      exports: [Config],
    };
  }
}

export function hasMetrics({ metrics }: Config): boolean {
  return metrics.port !== undefined || metrics.token !== undefined;
}

function given(...secrets: readonly (string | undefined)[]): string[] {
  return secrets.filter((secret) => secret !== undefined);
}

function backupPlace(
  folder: string | undefined,
  bucket: Bucket | undefined,
): { readonly folder: string } | { readonly bucket: Bucket } | null {
  if (bucket) return { bucket };
  return folder === undefined ? null : { folder: resolve(folder) };
}

/** A mirror or a sandbox of the scores says nothing about asking the public archive for pages. */
function pagesUrlOf(cdxUrl: string | undefined, pagesUrl: string | undefined): string | undefined {
  if (cdxUrl === undefined) return undefined;
  const { ARCHIVE_CDX_URL: ownCdx, ARCHIVE_PAGES_URL: ownPages } = SETTINGS;
  return pagesUrl === ownPages.default && cdxUrl !== ownCdx.default ? undefined : pagesUrl;
}

function listAddresses(kind: ListKind, urls: readonly string[]): ListAddress[] {
  return [...new Set(urls)].map((url) => ({ url, kind }));
}

/** The registrar of REGISTER_URL_TEMPLATE. */
function registrarOf(url: string): Registrar {
  const name = URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : url;
  return { name, url, earns: false };
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Host names in lower case: of this machine, of the service, and others. */
function hostNames(baseUrl: string, others: readonly string[]): string[] {
  const names = [...LOOPBACK, new URL(baseUrl).hostname, ...others];
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

/** Whether requests to the address cannot be read on their way: over TLS, or on this machine. */
function isConfidential(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || LOOPBACK.includes(hostname);
}

/**
 * The host in links. A service that listens on every address is reached on this machine as localhost. A URL
 * cannot hold the interface of a link-local address.
 */
function linkHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host.replace(/%.*$/, '')}]` : host;
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (isObject(inner) || Array.isArray(inner)) deepFreeze(inner);
  return Object.freeze(value);
}
