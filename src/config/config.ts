import type { TierName, TierTable } from './tiers.js';
import type { TrustProxy } from './addresses.js';
import type { Bucket } from './bucket-address.js';
import type { ListKind } from './product.js';
import type { SiteSettings } from './site-settings.js';

/** When the purges of a day run, HH:MM:SS in UTC, by the kind of list. */
export type PurgeTimes = Readonly<Record<ListKind, string>>;

/** Where one part of the official drop list is published. */
export interface ListAddress {
  readonly url: string;
  readonly kind: ListKind;
}

/** The values the service runs on, grouped by the part that needs them. Frozen; made by `readConfig` only. */
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
    /** The same for the links that people keep. */
    linkSecrets: readonly string[];
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
    /** 0: hosts need no proof. */
    readonly unprovenPaceSeconds: number;
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
