import { IsEmail, IsIn, IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { IsIntegerFrom } from '../validation/numbers.js';
import { OperationsEnv } from './operations.env.js';
import { CommaSeparated, IsHost, IsHttpUrl } from './rules.js';

const POSTGRES_URL = /^postgres(ql)?:\/\/\S+$/;
const HOST_NAME = /^([A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\])$/;
const HOST_NAMES_RULE = 'must be a comma-separated list of host names, without scheme and port';

/**
 * Every variable that the service reads, with its default and its rule. `.env.example` is compared with this class
 * in config.spec.ts, so a variable that is not written down there fails the suite.
 */
export class Env extends OperationsEnv {
  /** TCP port of the HTTP server; 0 asks the system for a free one, which links do not know: set BASE_URL too where they matter. */
  @IsIntegerFrom(0, 65_535)
  PORT = 3000;

  /** Address the HTTP server binds to. The demo binds to 127.0.0.1 unless this says otherwise. */
  @IsHost()
  HOST = '0.0.0.0';

  /** Public address of this service, without a trailing slash; default http://HOST:PORT. Goes into detail_url. */
  @IsOptional()
  @IsHttpUrl()
  BASE_URL: string | undefined = undefined;

  /** Where the terms of service are, for the OpenAPI documents; not set: they name none. */
  @IsOptional()
  @IsHttpUrl()
  TERMS_URL: string | undefined = undefined;

  /** PostgreSQL 15 to 18. Not set: the service starts its own embedded PostgreSQL 18 in DATA_DIR. */
  @IsOptional()
  @Matches(POSTGRES_URL, {
    message: 'DATABASE_URL must start with postgres:// or postgresql://',
  })
  DATABASE_URL: string | undefined = undefined;

  /** Connections in each of the two pools of a process, of which one is for searches. Beside them it holds one where WEBHOOKS=on and one to an embedded PostgreSQL: 22 at most by default. */
  @IsIntegerFrom(2, 200)
  DATABASE_POOL_SIZE = 10;

  /** PostgreSQL itself where DATABASE_URL is a PgBouncer that hands out connections by transaction: for what needs a session. */
  @IsOptional()
  @Matches(POSTGRES_URL, {
    message: 'DATABASE_DIRECT_URL must start with postgres:// or postgresql://',
  })
  DATABASE_DIRECT_URL: string | undefined = undefined;

  /** Streaming replicas of DATABASE_URL that reads go to in turn; comma-separated, a comma in a password written %2C. */
  @CommaSeparated()
  @Matches(POSTGRES_URL, {
    each: true,
    message: 'DATABASE_REPLICA_URLS must be a comma-separated list of postgres:// or postgresql:// addresses',
  })
  DATABASE_REPLICA_URLS: string[] = [];

  /** How far a replica may be behind and still be read from, in milliseconds; also the longest that a check which changed something waits for replicas. */
  @IsIntegerFrom(100, 60_000)
  REPLICA_MAX_LAG_MS = 2000;

  /**
   * Longest time that a request waits for one statement, and before it for a free connection, in milliseconds. What takes this long
   * waits for a lock or for a server that stands still, and the caller is better told 503.
   */
  @IsIntegerFrom(100, 60_000)
  DATABASE_TIMEOUT_MS = 3000;

  /** Redis or Valkey 7 and newer, in which all instances count requests, the records of a minute and attempts to sign in: redis:// or rediss://USER:PASSWORD@HOST:PORT. Not set: requests are counted in each instance, the rest in PostgreSQL. */
  @IsOptional()
  @Matches(/^rediss?:\/\/\S+$/, { message: 'REDIS_URL must start with redis:// or rediss://' })
  REDIS_URL: string | undefined = undefined;

  /** Folder of the embedded PostgreSQL. */
  @IsString()
  @MaxLength(4096)
  DATA_DIR = '.bowerbird';

  /** `on` turns API keys and accounts on; `off` serves everybody as the demo tier and ignores the Authorization header. */
  @IsIn(['on', 'off'])
  AUTH: 'on' | 'off' = 'off';

  /** Secret that sessions are signed with: needed by AUTH=on, the same for every instance. `openssl rand -base64 32` makes one. */
  @IsOptional()
  @MinLength(32, { message: 'AUTH_SECRET must have at least 32 characters' })
  @MaxLength(1000)
  AUTH_SECRET: string | undefined = undefined;

  /** Another AUTH_SECRET that is accepted: the next one, or the last one, while it is replaced on one instance after the other. */
  @IsOptional()
  @MinLength(32, { message: 'AUTH_SECRET_ALSO must have at least 32 characters' })
  @MaxLength(1000)
  AUTH_SECRET_ALSO: string | undefined = undefined;

  /** What signs the addresses of feeds and the links that end mails, which people keep. Not set: AUTH_SECRET, with which they end when it is replaced. */
  @IsOptional()
  @MinLength(32, { message: 'WATCH_LINK_SECRET must have at least 32 characters' })
  @MaxLength(1000)
  WATCH_LINK_SECRET: string | undefined = undefined;

  /** Server that mail to account holders is sent through: smtp:// or smtps://USER:PASSWORD@HOST:PORT. Not set: mail is written to the log. */
  @IsOptional()
  @Matches(/^smtps?:\/\/\S+$/, { message: 'SMTP_URL must start with smtp:// or smtps://' })
  SMTP_URL: string | undefined = undefined;

  /** Sender of the mail to account holders. */
  @IsEmail({ require_tld: false }, { message: 'MAIL_FROM must be an e-mail address' })
  MAIL_FROM = 'bowerbird@localhost';

  /** `on` turns webhooks on; needs AUTH=on. */
  @IsIn(['on', 'off'])
  WEBHOOKS: 'on' | 'off' = 'off';

  /** Secret that the secrets of webhooks are encrypted with: needed by WEBHOOKS=on, 32 bytes in base64. `openssl rand -base64 32` makes one. */
  @IsOptional()
  @Matches(/^[A-Za-z0-9+/]{43}=$/, { message: 'WEBHOOK_SECRET_KEY must be 32 bytes in base64' })
  WEBHOOK_SECRET_KEY: string | undefined = undefined;

  /** Another WEBHOOK_SECRET_KEY that secrets are opened with: the next one, or the last one, while it is replaced on one instance after the other. */
  @IsOptional()
  @Matches(/^[A-Za-z0-9+/]{43}=$/, { message: 'WEBHOOK_SECRET_KEY_ALSO must be 32 bytes in base64' })
  WEBHOOK_SECRET_KEY_ALSO: string | undefined = undefined;

  /** Whether this process delivers webhooks; `off` leaves that to `node dist/cli.js worker`. */
  @IsIn(['on', 'off'])
  WEBHOOK_WORKER: 'on' | 'off' = 'on';

  /** `on` lets webhooks go to this machine, also by http://: for tests only. */
  @IsIn(['on', 'off'])
  WEBHOOK_ALLOW_LOOPBACK: 'on' | 'off' = 'off';

  /** Longest time one delivery of a webhook may take, in milliseconds. */
  @IsIntegerFrom(50, 60_000)
  WEBHOOK_TIMEOUT_MS = 15_000;

  /** Seconds from one delivery to the next to all hosts of an account that it has not proven to be its own; 0: no proof is needed. */
  @IsIntegerFrom(0, 3_600)
  WEBHOOK_UNPROVEN_PACE_SECONDS = 10;

  /** Seconds before each attempt to deliver a webhook, the first included; comma-separated. */
  @CommaSeparated()
  @Matches(/^\d{1,7}(\.\d{1,3})?$/, {
    each: true,
    message: 'WEBHOOK_RETRY_SECONDS must be a comma-separated list of seconds',
  })
  WEBHOOK_RETRY_SECONDS: string[] = [
    '0',
    '5',
    '300',
    '1800',
    '7200',
    '18000',
    '36000',
    '50400',
    '72000',
    '86400',
  ];

  /** Whether this process takes part in the jobs that keep the dataset true (one process does them at a time); `off` leaves them to others, or to nobody. */
  @IsIn(['on', 'off'])
  DATASET_JOBS: 'on' | 'off' = 'on';

  /** Proxies in front of the service whose X-Forwarded-For is believed: a number of hops, or addresses and CIDRs. */
  @IsString()
  @MaxLength(4096)
  TRUST_PROXY = 'off';

  /** Longest time a suggestion, a page of a search or its count may take, in milliseconds; then it says timed_out. */
  @IsIntegerFrom(1, 10_000)
  SUGGEST_TIME_CAP_MS = 250;

  /** Checkout address of the registrar; {domain} is replaced by the percent-encoded name. */
  @Matches(/^https?:\/\/\S*\{domain\}\S*$/, {
    message: 'REGISTER_URL_TEMPLATE must be an http(s) URL that holds {domain}',
  })
  REGISTER_URL_TEMPLATE = 'https://ventraip.com.au/domain-names?domain={domain}';

  /** Whom to tell of a hole in the service's security: a mailto: or https: address, for /.well-known/security.txt. Not set: there is no such file. */
  @IsOptional()
  @Matches(/^(mailto:[^\s@]+@\S+|https:\/\/\S+)$/, {
    message: 'SECURITY_CONTACT must be a mailto: or https: address',
  })
  SECURITY_CONTACT: string | undefined = undefined;

  /** Changes to the tier table: JSON such as {"demo":{"recordsPerMinute":10}}. */
  @IsOptional()
  @IsString()
  @MaxLength(10_000)
  TIERS: string | undefined = undefined;

  /** Origins whose pages may call the API from a browser: `*` or a comma-separated list. */
  @CommaSeparated()
  @IsString({ each: true })
  CORS_ORIGINS: string[] = ['*'];

  /** Host names under which /mcp may be asked, beside that of BASE_URL and the loopback ones; comma-separated, without ports. */
  @CommaSeparated()
  @Matches(HOST_NAME, { each: true, message: `MCP_ALLOWED_HOSTS ${HOST_NAMES_RULE}` })
  MCP_ALLOWED_HOSTS: string[] = [];

  /** Host names whose web pages may ask /mcp from a browser, beside the same; comma-separated, without scheme and port. */
  @CommaSeparated()
  @Matches(HOST_NAME, { each: true, message: `MCP_ALLOWED_ORIGINS ${HOST_NAMES_RULE}` })
  MCP_ALLOWED_ORIGINS: string[] = [];

  /** Smallest level that is logged. */
  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  LOG_LEVEL = 'info';

  /** How long a service that was told to stop (SIGTERM) serves on while /readyz says 503, in milliseconds: longer than the balancer takes to see it. 0 in the demo. */
  @IsIntegerFrom(0, 600_000)
  SHUTDOWN_NOTICE_MS = 5000;

  /** Longest time a stopping service waits for requests under way, in milliseconds. */
  @IsIntegerFrom(0, 600_000)
  SHUTDOWN_GRACE_MS = 8000;
}

/** Variables that hold a secret: never repeated in a message, which ends in a log, and readable from a file. */
export const SECRETS = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'REDIS_URL',
  'DATABASE_REPLICA_URLS',
  'AUTH_SECRET',
  'AUTH_SECRET_ALSO',
  'WATCH_LINK_SECRET',
  'WEBHOOK_SECRET_KEY',
  'WEBHOOK_SECRET_KEY_ALSO',
  'SMTP_URL',
  'EXPORT_S3_URL',
  'METRICS_TOKEN',
  'OPERATOR_KEY_HASH',
  'STRIPE_WEBHOOK_SECRET',
] as const;

/** Lists that are not empty by default, and of which the empty one means something. */
const LISTS_THAT_MAY_BE_EMPTY = ['REGISTRY_CANARIES'];

/** Whether a variable counts: an empty one does not, but for these lists. */
export function isSet(name: string, value: string | undefined): value is string {
  return value !== undefined && (value !== '' || LISTS_THAT_MAY_BE_EMPTY.includes(name));
}
