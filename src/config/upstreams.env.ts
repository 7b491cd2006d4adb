import { Transform } from 'class-transformer';
import { IsIn, Matches, MaxLength } from 'class-validator';
import { IsIntegerFrom, IsNumberFrom } from '../validation/numbers.js';
import { SiteEnv } from './site.env.js';
import {
  AreHttpsUrls,
  commaSeparated,
  CommaSeparated,
  IsHttpUrl,
  IsOffOrHostPort,
  IsOffOrHttpUrl,
  TIME_OF_DAY,
  TIME_OF_DAY_RULE,
} from './rules.js';

/** The part of {@link Env} that is about where names come from and who is asked about them: registry, drop lists, archive. */
export class UpstreamsEnv extends SiteEnv {
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

  /** Names that are surely registered, asked at the start and every 5 minutes, each in a turn of its own; while the registry does not find them, no answer of it is believed. Comma-separated; empty or `off` turns it off. */
  @Transform(({ value }: { value: unknown }) => (value === 'off' ? [] : commaSeparated(value)))
  @Matches(/^[a-z0-9-]{2,63}(\.(com|net|org|id|asn))?\.au$/, {
    each: true,
    message: 'REGISTRY_CANARIES must be a comma-separated list of .au names',
  })
  REGISTRY_CANARIES: string[] = ['google.com.au', 'auda.org.au'];

  /** Sentences with which this registry says "not found", and whole texts of its notices that say nothing of the name; separated by `|`. */
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split('|') : value))
  @MaxLength(4000, { each: true })
  REGISTRY_NOT_FOUND_WORDINGS: string[] = [];

  /** Addresses of the official drop list's part "deleted", comma-separated; empty: none is fetched. Seen in public code, not verified: https://identitydigital.au/domain-drop-lists/deleted */
  @CommaSeparated()
  @AreHttpsUrls()
  LIST_DELETED_URLS: string[] = [];

  /** Addresses of its part "expired", in the same way. Seen in public code, not verified: https://identitydigital.au/domain-drop-lists/expired */
  @CommaSeparated()
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
}
