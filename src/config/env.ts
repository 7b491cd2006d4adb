import { Transform } from 'class-transformer';
import { IsEmail, IsIn, IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { IsIntegerFrom, IsNumberFrom } from '../validation/numbers.js';
import { AreHttpsUrls, IsHost, IsHttpUrl, IsOffOrHostPort, IsOffOrHttpUrl } from './rules.js';

const HOST_NAME = /^([A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\])$/;
const HOST_NAMES_RULE = 'must be a comma-separated list of host names, without scheme and port';
const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const TIME_OF_DAY_RULE = '$property must be a time of day as HH:MM:SS, in UTC';
const toList = ({ value }: { value: unknown }) =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean)
    : value;

/**
 * Every variable that the service reads, with its default and its rule. `.env.example` is compared with this class
 * in config.spec.ts, so a variable that is not written down there fails the suite.
 */
export class Env {
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

  /** PostgreSQL 15 to 18. Not set: the service starts its own embedded PostgreSQL 18 in DATA_DIR. */
  @IsOptional()
  @Matches(/^postgres(ql)?:\/\/\S+$/, {
    message: 'DATABASE_URL must start with postgres:// or postgresql://',
  })
  DATABASE_URL: string | undefined = undefined;

  /** Connections in each of the two pools of a process, of which one is for searches. Beside them it holds one where WEBHOOKS=on and one to an embedded PostgreSQL: 22 at most by default. */
  @IsIntegerFrom(2, 200)
  DATABASE_POOL_SIZE = 10;

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

  /** Whether this process delivers webhooks; `off` leaves that to `node dist/src/cli.js worker`. */
  @IsIn(['on', 'off'])
  WEBHOOK_WORKER: 'on' | 'off' = 'on';

  /** `on` lets webhooks go to this machine, also by http://: for tests only. */
  @IsIn(['on', 'off'])
  WEBHOOK_ALLOW_LOOPBACK: 'on' | 'off' = 'off';

  /** Longest time one delivery of a webhook may take, in milliseconds. */
  @IsIntegerFrom(50, 60_000)
  WEBHOOK_TIMEOUT_MS = 15_000;

  /** Seconds before each attempt to deliver a webhook, the first included; comma-separated. */
  @Transform(toList)
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

  /** Base address of the registry's RDAP service. */
  @IsHttpUrl()
  REGISTRY_RDAP_URL = 'https://rdap.cctld.au/rdap/';

  /** What answers call the registry behind REGISTRY_RDAP_URL: `rdap`, or `sandbox` when it is the made-up one. */
  @IsIn(['rdap', 'sandbox'])
  REGISTRY_SOURCE: 'rdap' | 'sandbox' = 'rdap';

  /** IANA's list of RDAP services, read once a day for a newer base address; `off` reads nothing. */
  @IsOffOrHttpUrl()
  REGISTRY_BOOTSTRAP_URL = 'https://data.iana.org/rdap/dns.json';

  /** host:port of the TCP availability service asked when RDAP gives no answer; `off` asks nobody. */
  @IsOffOrHostPort()
  REGISTRY_AVAILABILITY_SERVICE = 'off';

  /** Questions a second that the whole installation may ask the registry (all instances together). */
  @IsNumberFrom(0.001, 1000)
  REGISTRY_RATE_PER_SECOND = 0.5;

  /** Questions that may be asked at once after a quiet time. */
  @IsIntegerFrom(1, 1000)
  REGISTRY_BURST = 2;

  /** Longest time one question to the registry may take, in milliseconds. */
  @IsIntegerFrom(50, 60_000)
  REGISTRY_TIMEOUT_MS = 5000;

  /** Longest time a caller waits for the installation's turn to ask, in milliseconds; then the answer is 503. */
  @IsIntegerFrom(0, 60_000)
  REGISTRY_MAX_WAIT_MS = 4000;

  /** Failures in a row that open the circuit breaker. */
  @IsIntegerFrom(1, 1000)
  REGISTRY_BREAKER_FAILURES = 5;

  /** How long an open breaker refuses before one probing question is let through, in milliseconds. */
  @IsIntegerFrom(10, 3_600_000)
  REGISTRY_BREAKER_OPEN_MS = 30_000;

  /** How long an answer "registered" (or on the way to deletion) is reused, in seconds. */
  @IsIntegerFrom(0, 86_400)
  REGISTRY_CACHE_REGISTERED_SECONDS = 3600;

  /** How long an answer "available" is reused, in seconds. */
  @IsIntegerFrom(0, 86_400)
  REGISTRY_CACHE_AVAILABLE_SECONDS = 60;

  /** Addresses of the official drop list's part "deleted", comma-separated; empty: none is fetched. Seen in public code, not verified: https://identitydigital.au/domain-drop-lists/deleted */
  @Transform(toList)
  @AreHttpsUrls()
  LIST_DELETED_URLS: string[] = [];

  /** Addresses of its part "expired", in the same way. Seen in public code, not verified: https://identitydigital.au/domain-drop-lists/expired */
  @Transform(toList)
  @AreHttpsUrls()
  LIST_EXPIRED_URLS: string[] = [];

  /** How often each of these addresses is asked for a new list, in minutes. */
  @IsIntegerFrom(1, 1440)
  LIST_POLL_MINUTES = 60;

  /** When the purges of a day's "deleted" names run, in UTC: 13:00 AEST. Also the moment from which a name waits for the next day. */
  @Matches(TIME_OF_DAY, { message: TIME_OF_DAY_RULE })
  LIST_PURGE_TIME_DELETED = '03:00:00';

  /** When those of its "expired" names run: 13:30 AEST. */
  @Matches(TIME_OF_DAY, { message: TIME_OF_DAY_RULE })
  LIST_PURGE_TIME_EXPIRED = '03:30:00';

  /** Longest time one fetch of a list may take, in milliseconds. */
  @IsIntegerFrom(50, 600_000)
  LIST_TIMEOUT_MS = 60_000;

  /** Minutes after which a second answer bears out a first one that calls a registered name free, with no drop to explain it. */
  @IsIntegerFrom(0, 1440)
  REGISTRY_SECOND_ANSWER_MINUTES = 5;

  /** Answers within an hour that contradict what was known, before all writes of answers stop until the operator resumes them. */
  @IsIntegerFrom(1, 1_000_000)
  REGISTRY_MAX_FLIPS_PER_HOUR = 200;

  /** Days after which a name that nobody has asked about since is no longer offered. */
  @IsIntegerFrom(1, 3650)
  OFFER_MAX_AGE_DAYS = 120;

  /** Offers drawn by lot that the registry is asked about every day, to measure how many are false; 0 measures nothing. */
  @IsIntegerFrom(0, 40_000)
  SAMPLE_PER_DAY = 1000;

  /** Address of the Wayback Machine's CDX server, which names are scored from; `off` scores none. */
  @IsOffOrHttpUrl()
  ARCHIVE_CDX_URL = 'https://web.archive.org/cdx/search/cdx';

  /** What scores call the archive behind ARCHIVE_CDX_URL: `archive`, or `sandbox` when it is the made-up one. */
  @IsIn(['archive', 'sandbox'])
  ARCHIVE_SOURCE: 'archive' | 'sandbox' = 'archive';

  /** Questions a minute that the whole installation may ask the archive; it refuses addresses that ask more than 24. */
  @IsNumberFrom(0.01, 60_000)
  ARCHIVE_RATE_PER_MINUTE = 20;

  /** Longest time one question to the archive may take, in milliseconds. */
  @IsIntegerFrom(50, 120_000)
  ARCHIVE_TIMEOUT_MS = 30_000;

  /** Names that are surely registered, asked at the start and every 5 minutes, each in a turn of its own; while the registry does not find them, no answer of it is believed. Comma-separated; empty or `off` turns it off. */
  @Transform(({ value }: { value: unknown }) => (value === 'off' ? [] : toList({ value })))
  @Matches(/^[a-z0-9-]{2,63}(\.(com|net|org|id|asn))?\.au$/, {
    each: true,
    message: 'REGISTRY_CANARIES must be a comma-separated list of .au names',
  })
  REGISTRY_CANARIES: string[] = ['google.com.au', 'auda.org.au'];

  /** Sentences with which this registry says "not found", beside the known ones; separated by `|`. */
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split('|') : value))
  @MaxLength(200, { each: true })
  REGISTRY_NOT_FOUND_WORDINGS: string[] = [];

  /** Longest time a suggestion, a page of a search or its count may take, in milliseconds; then it says timed_out. */
  @IsIntegerFrom(1, 10_000)
  SUGGEST_TIME_CAP_MS = 250;

  /** Checkout address of the registrar; {domain} is replaced by the percent-encoded name. */
  @Matches(/^https?:\/\/\S*\{domain\}\S*$/, {
    message: 'REGISTER_URL_TEMPLATE must be an http(s) URL that holds {domain}',
  })
  REGISTER_URL_TEMPLATE = 'https://ventraip.com.au/domain-names?domain={domain}';

  /** Changes to the tier table: JSON such as {"demo":{"recordsPerMinute":10}}. */
  @IsOptional()
  @IsString()
  @MaxLength(10_000)
  TIERS: string | undefined = undefined;

  /** Origins whose pages may call the API from a browser: `*` or a comma-separated list. */
  @Transform(toList)
  @IsString({ each: true })
  CORS_ORIGINS: string[] = ['*'];

  /** Host names under which /mcp may be asked, beside that of BASE_URL and the loopback ones; comma-separated, without ports. */
  @Transform(toList)
  @Matches(HOST_NAME, { each: true, message: `MCP_ALLOWED_HOSTS ${HOST_NAMES_RULE}` })
  MCP_ALLOWED_HOSTS: string[] = [];

  /** Host names whose web pages may ask /mcp from a browser, beside the same; comma-separated, without scheme and port. */
  @Transform(toList)
  @Matches(HOST_NAME, { each: true, message: `MCP_ALLOWED_ORIGINS ${HOST_NAMES_RULE}` })
  MCP_ALLOWED_ORIGINS: string[] = [];

  /** Smallest level that is logged. */
  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  LOG_LEVEL = 'info';

  /** Longest time a stopping service waits for requests under way, in milliseconds. */
  @IsIntegerFrom(0, 600_000)
  SHUTDOWN_GRACE_MS = 8000;
}
