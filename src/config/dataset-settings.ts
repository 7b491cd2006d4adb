import * as parse from './parsers.js';
import type { Setting } from './setting.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_SECONDS = 86_400;

/** The entries of SETTINGS about the dataset: its sources, the registry, the archive and the exports. */
export const DATASET_SETTINGS = {
  // Registry
  REGISTRY_RDAP_URL: {
    type: 'text',
    default: 'https://rdap.cctld.au/rdap/',
    parse: parse.httpUrl,
    words: "Base address of the registry's RDAP service.",
  },
  REGISTRY_SOURCE: {
    type: 'choice',
    default: 'rdap',
    of: ['rdap', 'sandbox'],
    words: 'How answers name the registry at REGISTRY_RDAP_URL; `sandbox` for a simulated one.',
  },
  REGISTRY_BOOTSTRAP_URL: {
    type: 'text',
    default: 'https://data.iana.org/rdap/dns.json',
    parse: parse.readUrl,
    canBeOff: true,
    words: "IANA's list of RDAP services, read daily for a newer base address.",
  },
  REGISTRY_AVAILABILITY_SERVICE: {
    type: 'text',
    default: 'off',
    parse: parse.hostAndPort,
    canBeOff: true,
    words:
      'host:port of the TCP availability service, queried when RDAP gives no answer, and as a second source. By its ' +
      'word alone no name is available.',
  },
  REGISTRY_SECOND_SERVICE_MIN_SCORE: {
    type: 'integer',
    default: 10,
    min: 0,
    max: 1_000_000_000,
    words:
      'With an availability service, names of at least this score come on offer, and stay so on the first day, ' +
      'only if both services call them available.',
  },
  REGISTRY_RATE_PER_SECOND: {
    type: 'number',
    default: 0.5,
    min: 0.001,
    max: 1000,
    words: 'Registry queries a second, all instances together.',
  },
  REGISTRY_POLICY: {
    type: 'choice',
    default: 'worth',
    of: ['worth', 'former'],
    words: 'Order of the questions; `former`: that of the previous release, for one release.',
  },
  REGISTRY_BURST: {
    type: 'integer',
    default: 2,
    min: 1,
    max: 1000,
    words: 'Registry queries that may be sent at once after a quiet time.',
  },
  REGISTRY_TIMEOUT_MS: {
    type: 'integer',
    default: 5000,
    min: 50,
    max: MINUTE_MS,
    words: 'Milliseconds one registry query may take.',
  },
  REGISTRY_MAX_WAIT_MS: {
    type: 'integer',
    default: 4000,
    min: 0,
    max: MINUTE_MS,
    words: 'Milliseconds a caller waits for a turn to query the registry before the answer is 503.',
  },
  REGISTRY_BREAKER_FAILURES: {
    type: 'integer',
    default: 5,
    min: 1,
    max: 1000,
    words: 'Consecutive failures that open the circuit breaker.',
  },
  REGISTRY_BREAKER_OPEN_MS: {
    type: 'integer',
    default: 30_000,
    min: 10,
    max: HOUR_MS,
    words: 'Milliseconds an open breaker rejects queries before it lets one probe through.',
  },
  REGISTRY_CACHE_REGISTERED_SECONDS: {
    type: 'integer',
    default: 3600,
    min: 0,
    max: DAY_SECONDS,
    words: 'Seconds an answer "registered" (or pending deletion) is reused.',
  },
  REGISTRY_CACHE_AVAILABLE_SECONDS: {
    type: 'integer',
    default: 60,
    min: 0,
    max: DAY_SECONDS,
    words: 'Seconds an answer "available" is reused.',
  },
  REGISTRY_CANARIES: {
    type: 'list',
    default: 'google.com.au,auda.org.au',
    parse: parse.canary,
    canBeOff: true,
    words:
      'Names known to be registered, queried at the start and every 5 minutes. While the registry does ' +
      'not find them, its answers are not believed.',
  },
  REGISTRY_NOT_FOUND_WORDINGS: {
    type: 'list',
    separator: '|',
    words:
      'Sentences with which this registry says "not found", and whole texts of notices beside them that ' +
      'say nothing about the name; separated by `|`.',
  },
  REGISTRY_PARSER: {
    type: 'choice',
    default: 'newest',
    of: ['newest', 'former'],
    words:
      'Rules that judge answers. `former` keeps those of the version before in use until you have read ' +
      '`registry replay`.',
  },
  REGISTRY_ANSWERS_KEEP_MONTHS: {
    type: 'integer',
    default: 25,
    min: 1,
    max: 120,
    words: 'Whole months for which answers of the registry are kept as evidence.',
  },
  REGISTRY_SECOND_ANSWER_MINUTES: {
    type: 'integer',
    default: 5,
    min: 0,
    max: 1440,
    words: 'Minutes before a second answer can confirm that a registered name became free without a drop.',
  },
  REGISTRY_MAX_FLIPS_PER_HOUR: {
    type: 'integer',
    default: 200,
    min: 1,
    max: 1_000_000,
    words:
      'Answers an hour that may contradict the dataset; beyond that, answers are not written until an ' +
      'operator resumes them.',
  },

  // Drop lists and offers
  LIST_DELETED_URLS: {
    type: 'list',
    parse: parse.httpsUrl,
    isEssential: true,
    words:
      'Drop lists of deleted names. Seen in public code, not verified: ' +
      'https://identitydigital.au/domain-drop-lists/deleted',
  },
  LIST_EXPIRED_URLS: {
    type: 'list',
    parse: parse.httpsUrl,
    isEssential: true,
    words: 'Drop lists of expired names: the same, /expired',
  },
  LIST_POLL_MINUTES: {
    type: 'integer',
    default: 60,
    min: 1,
    max: 1440,
    words: 'Minutes between two looks at each of these addresses.',
  },
  LIST_PURGE_TIME_DELETED: {
    type: 'text',
    default: '03:00:00',
    parse: parse.timeOfDay,
    words:
      'When the "deleted" names of a day are purged, in UTC (13:00 AEST); later names wait for the next day.',
  },
  LIST_PURGE_TIME_EXPIRED: {
    type: 'text',
    default: '03:30:00',
    parse: parse.timeOfDay,
    words: 'When the "expired" names of a day are purged, in UTC (13:30 AEST).',
  },
  LIST_TIMEOUT_MS: {
    type: 'integer',
    default: MINUTE_MS,
    min: 50,
    max: 600_000,
    words: 'Milliseconds one fetch of a list may take.',
  },
  OFFER_MAX_AGE_DAYS: {
    type: 'integer',
    default: 120,
    min: 1,
    max: 3650,
    words: 'Days after which a name is no longer offered unless it was checked again.',
  },
  SAMPLE_PER_DAY: {
    type: 'integer',
    default: 1000,
    min: 0,
    max: 40_000,
    words:
      'Random offers checked at the registry every day, to measure how many are false; 0 measures nothing.',
  },
  DATASET_JOBS: {
    type: 'switch',
    default: 'on',
    words:
      'Whether this process takes part in the jobs that keep the dataset true; one process runs each job.',
  },

  // Archive
  ARCHIVE_CDX_URL: {
    type: 'text',
    default: 'https://web.archive.org/cdx/search/cdx',
    parse: parse.readUrl,
    canBeOff: true,
    words: 'CDX server of the Wayback Machine, which scores come from.',
  },
  ARCHIVE_PAGES_URL: {
    type: 'text',
    default: 'https://web.archive.org/web',
    parse: parse.httpUrl,
    canBeOff: true,
    words:
      'Where captures are read, when a visitor asks for the text of a former site. The default counts only while ' +
      "ARCHIVE_CDX_URL is the archive's own.",
  },
  ARCHIVE_TITLES: {
    type: 'switch',
    default: 'off',
    words:
      'Whether a title of every archived name is read as well, which the filter `former_title` needs: two questions ' +
      'a name, at the pace of scores.',
  },
  ARCHIVE_SOURCE: {
    type: 'choice',
    default: 'archive',
    of: ['archive', 'sandbox'],
    words: 'How scores name the archive at ARCHIVE_CDX_URL; `sandbox` for a simulated one.',
  },
  ARCHIVE_RATE_PER_MINUTE: {
    type: 'number',
    default: 20,
    min: 0.01,
    max: 60_000,
    words:
      'Archive queries a minute, all instances together. The archive blocks addresses that send more than 24.',
  },
  ARCHIVE_TIMEOUT_MS: {
    type: 'integer',
    default: 30_000,
    min: 50,
    max: 120_000,
    words: 'Milliseconds one archive query may take.',
  },

  // Exports
  EXPORTS: {
    type: 'switch',
    default: 'off',
    words: '`on` makes a daily snapshot and diff for tiers with exports; needs AUTH=on.',
  },
  EXPORT_DIR: {
    type: 'text',
    words:
      'Folder of exports, shared by all instances of this installation only. Unset: `exports` in DATA_DIR.',
  },
  EXPORT_S3_URL: {
    type: 'text',
    parse: parse.bucket,
    isSecret: true,
    words:
      'Bucket of an S3-compatible store that keeps exports and serves downloads: ' +
      'https://ACCESS_KEY_ID:SECRET@ENDPOINT/BUCKET/PREFIX?region=REGION, percent-encoded. Exports are ' +
      'still made in EXPORT_DIR.',
  },
  EXPORT_TIME: {
    type: 'text',
    default: '05:00:00',
    parse: parse.timeOfDay,
    words: 'When the snapshot of a day is made, in UTC: after most drops of the day are confirmed.',
  },
  EXPORT_HOURLY: {
    type: 'switch',
    default: 'off',
    words: '`on` also writes the changes of every hour.',
  },
  EXPORT_KEEP_SNAPSHOTS: {
    type: 'integer',
    default: 8,
    min: 1,
    max: 1000,
    words: 'Snapshots that are kept.',
  },
  EXPORT_KEEP_DIFF_DAYS: {
    type: 'integer',
    default: 35,
    min: 1,
    max: 3650,
    words: 'Days that diffs and hourly changes are kept.',
  },
} as const satisfies Record<string, Setting>;
