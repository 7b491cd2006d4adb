import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import type { StoreProblem } from '../backup/bucket.js';
import { describeBackups, readBackupState } from '../backup/backup-state.js';
import { freeBytesOf } from '../backup/store.js';
import type { Config } from '../config/config.js';
import type { Bucket } from '../config/parsers.js';
import { Clock, type Database, readClockSkewMs } from '../db/database.js';
import { findUnfinishedImport } from '../ingest/import/import-run.repository.js';
import { ListFetchRepository } from '../ingest/lists/list-fetch.repository.js';
import { exchange, type Received } from '../registry/exchange.js';
import { RegistryHealthRepository } from '../registry/registry-health.repository.js';
import { messageOf } from '../validation/unknown-values.js';
import type { AnswerOf } from './answers.js';

/** Deadline of each check. */
const CHECK_LIMIT_MS = 5_000;
const MAX_CLOCK_DIFFERENCE_MS = 2_000;
const MIN_FREE_BYTES = 1_000_000_000;
const DAY_MS = 86_400_000;
const MAX_BACKUP_DAYS = 7;
const MAX_DRILL_DAYS = 9;
const MAX_LOG_LOSS_MS = 10 * 60_000;
/** Of different characters: a secret of fewer was typed, not drawn. */
const MIN_SECRET_VARIETY = 10;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** What a check found; `off`: not used here. */
interface Finding {
  readonly state: 'well' | 'problem' | 'off';
  readonly finding: string;
  /** What to do, of a problem. */
  readonly remedy?: string;
}

/** The parts that are examined, in the order of the report. */
export const EXAMINED = [
  'database',
  'lists',
  'imports',
  'registry',
  'archive',
  'mail',
  'exports',
  'disk',
  'clock',
  'secrets',
  'base_address',
  'backups',
] as const;
type Examined = (typeof EXAMINED)[number];

/**
 * Examines an installation from the outside in: configuration, reachability, and the last results. Names hosts, never
 * addresses with credentials. RDAP is asked for its help, which takes no turn; elsewhere a connection is opened and
 * closed.
 */
export class Doctor {
  private readonly checks: Readonly<Record<Examined, () => Finding | Promise<Finding>>> = {
    database: () => this.withDatabase((database) => this.examineDatabase(database)),
    lists: () => this.examineLists(),
    imports: () => this.withDatabase((database) => this.examineImports(database)),
    registry: () => this.examineRegistry(),
    archive: () => this.examineArchive(),
    mail: () => this.examineMail(),
    exports: () => this.examineExports(),
    disk: () => this.examineDisk(),
    clock: () => this.withDatabase((database) => this.examineClock(database)),
    secrets: () => this.examineSecrets(),
    base_address: () => this.examineBaseAddress(),
    backups: () => this.withDatabase((database) => this.examineBackups(database)),
  };

  /** @param database what could be opened, or why none could */
  constructor(
    private readonly config: Config,
    private readonly database: Database | Error,
    private readonly limitMs = CHECK_LIMIT_MS,
  ) {}

  /** What a check may wait for others, and still say why it has no answer. */
  private get waitMs(): number {
    return this.limitMs - 1_000;
  }

  /** All checks at once, each with a time limit of its own. */
  async examine(): Promise<AnswerOf<'Diagnosis'>> {
    const checks = await Promise.all(
      EXAMINED.map(async (part) => {
        const { state, finding, remedy } = await inTime(this.checks[part], this.limitMs);
        return { part, state, finding, remedy: remedy ?? null };
      }),
    );
    return { ok: true, problems: checks.filter(({ state }) => state === 'problem').length, checks };
  }

  private async withDatabase(check: (database: Database) => Promise<Finding>): Promise<Finding> {
    if (!(this.database instanceof Error)) return check(this.database);
    return problem(
      `The database cannot be opened: ${this.database.message}`,
      'Start PostgreSQL, or correct DATABASE_URL.',
    );
  }

  private async examineDatabase(database: Database): Promise<Finding> {
    const now = await new Clock(database).now();
    return well(`PostgreSQL answers; its time is ${now.toISOString()}.`);
  }

  private async examineLists(): Promise<Finding> {
    const { addresses, pollMs } = this.config.lists;
    if (addresses.length === 0)
      return problem(
        'No drop list is fetched: LIST_DELETED_URLS and LIST_EXPIRED_URLS are empty.',
        "Read docs/operations/lists-and-registry.md, agree to the publisher's terms, and set them; or import lists.",
      );
    return this.withDatabase(async (database) => {
      const fetches = new ListFetchRepository(database);
      const now = await new Clock(database).now();
      const states = await Promise.all(addresses.map(({ url }) => fetches.readState(url)));
      const wrong = addresses.flatMap(({ kind, url }, place) => {
        const { latest, lastImported } = states[place] ?? { latest: null, lastImported: null };
        const list = `${kind} list of ${hostOf(url)}`;
        if (!latest) return [`The ${list} was never fetched.`];
        if (latest.outcome === 'alarm') return [`The ${list} is not believed: ${latest.detail ?? ''}`];
        if (latest.outcome === 'failed') return [`The ${list} could not be fetched: ${latest.detail ?? ''}`];
        if (!lastImported) return [`The ${list} was never imported.`];
        const isOld = now.getTime() - latest.startedAt.getTime() > pollMs + DAY_MS;
        return isOld ? [`The ${list} was last fetched at ${latest.startedAt.toISOString()}.`] : [];
      });
      if (wrong.length === 0) return well(`${addresses.length} addresses, each fetched and imported.`);
      return problem(
        wrong.join(' '),
        'npm run bowerbird -- lists fetch; after an alarm, look at the list, then add --accept-alarms.',
      );
    });
  }

  private async examineImports(database: Database): Promise<Finding> {
    const unfinished = await findUnfinishedImport(database);
    if (!unfinished) return well('No import ended early.');
    const { source, at, rows } = unfinished;
    return problem(
      `The import of ${source} ended early at ${at.toISOString()}: ${rows} rows are in.`,
      'Import the same file again within a week: it goes on there. What is in stays in any case.',
    );
  }

  private async examineRegistry(): Promise<Finding> {
    const { rdapUrl, rdapUrlIsDefault, source, ratePerSecond, hasCanaries } = this.config.registry;
    const host = hostOf(rdapUrl);
    const help = await askFor(new URL('help', rdapUrl), this.waitMs);
    if (!help.received)
      return problem(
        `${host} cannot be reached: ${help.detail}.`,
        'Correct REGISTRY_RDAP_URL, or let the firewall open connections to it. Until then no name is confirmed.',
      );
    const health =
      this.database instanceof Error
        ? null
        : await new RegistryHealthRepository(this.database).read({ source, address: rdapUrl });
    const lastAnsweredAt = health?.lastAnsweredAt ?? null;
    // A registry without help is one all the same, once it has answered.
    if (lastAnsweredAt === null && !isRdap(help))
      return problem(
        `${host} answers HTTP ${help.status} with ${help.header('content-type') ?? 'no content type'}: ` +
          'that is not RDAP.',
        'Correct REGISTRY_RDAP_URL: it is the address before domain/NAME. Until then no name is confirmed.',
      );
    if (!hasCanaries && source !== 'sandbox')
      return problem(
        `${host} answers, and REGISTRY_CANARIES is empty: a registry that finds nothing would be believed.`,
        'Set REGISTRY_CANARIES to names that are certainly registered.',
      );
    if (health?.breaker === 'open')
      return problem(
        `${host} can be reached, and its answers failed so often that it is not asked for a while.`,
        'Look at `bowerbird status` and at an answer, with curl.',
      );
    if (health?.canary === 'failed')
      return problem(
        `${host} does not find names that are certainly registered: none of its answers is believed.`,
        'Look at an answer, with curl; correct REGISTRY_RDAP_URL or REGISTRY_CANARIES.',
      );
    const answered = lastAnsweredAt ? `, last answer ${lastAnsweredAt.toISOString()}` : ', no answer yet';
    const sandbox = source === 'sandbox' ? '; it is a sandbox, so that all answers are made up' : '';
    const terms = rdapUrlIsDefault ? '; it is the public address: its terms apply' : '';
    return well(`${host} answers as RDAP, ${ratePerSecond} questions a second${answered}${sandbox}${terms}.`);
  }

  private async examineArchive(): Promise<Finding> {
    const { cdxUrl, ratePerMinute } = this.config.archive;
    if (cdxUrl === undefined) return off('ARCHIVE_CDX_URL is off: no name gets a score.');
    const unreachable = await whyUnreachable(cdxUrl, this.waitMs);
    if (unreachable === null)
      return well(`${hostOf(cdxUrl)} can be reached, ${ratePerMinute} questions a minute.`);
    return problem(
      `${hostOf(cdxUrl)} cannot be reached: ${unreachable}`,
      'Correct ARCHIVE_CDX_URL, or set it to off: names then keep the score 0.',
    );
  }

  private async examineMail(): Promise<Finding> {
    const { smtpUrl } = this.config.mail;
    if (smtpUrl === undefined)
      return this.config.auth.enabled
        ? problem(
            'AUTH is on and SMTP_URL is not set: no sign-up can be confirmed, no password reset, no watch mailed.',
            'Set SMTP_URL and MAIL_FROM.',
          )
        : off('There are no accounts (AUTH=off), and no mail is sent.');
    const unreachable = await whyUnreachable(smtpUrl, this.waitMs);
    if (unreachable === null) return well(`${hostOf(smtpUrl)} can be reached.`);
    return problem(
      `${hostOf(smtpUrl)} cannot be reached: ${unreachable}`,
      'Correct SMTP_URL, or open the port for outgoing mail.',
    );
  }

  private async examineExports(): Promise<Finding> {
    const { enabled, bucket } = this.config.exports;
    if (!enabled) return off('No exports are made (EXPORTS=off).');
    if (bucket === undefined) return well('Exports stay in EXPORT_DIR.');
    const { store, found } = await examineBucket(bucket, 'EXPORT_S3_URL', this.waitMs);
    return found === null
      ? well(`${store} can be listed with its key; the next export tries to write.`)
      : problem(`${store} ${found.problem}. Until then no export is published.`, found.remedy);
  }

  private async examineDisk(): Promise<Finding> {
    const { database, exports } = this.config;
    const folders = [
      ...(database.url === undefined ? [['DATA_DIR', database.dataDir] as const] : []),
      ...(exports.enabled && exports.bucket === undefined ? [['EXPORT_DIR', exports.folder] as const] : []),
      ['temporary files', tmpdir()] as const,
    ];
    const rooms = await Promise.all(
      folders.map(async ([name, folder]) => ({ name, free: await freeBytesOf(folder) })),
    );
    const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
    const full = rooms.filter(({ free }) => free < MIN_FREE_BYTES);
    const words = (some: typeof rooms) =>
      some.map(({ name, free }) => `${name} ${gigabytes(free)}`).join(', ');
    return full.length === 0
      ? well(`Free: ${words(rooms)}.`)
      : problem(`Nearly full: ${words(full)} free.`, 'Free space: PostgreSQL stops when its disk is full.');
  }

  private async examineClock(database: Database): Promise<Finding> {
    const ahead = await readClockSkewMs(database);
    const seconds = `${(Math.abs(ahead) / 1_000).toFixed(1)} s`;
    return Math.abs(ahead) <= MAX_CLOCK_DIFFERENCE_MS
      ? well(`The clocks of this machine and of PostgreSQL differ by ${seconds}.`)
      : problem(
          `The clock of this machine is ${seconds} ${ahead > 0 ? 'ahead of' : 'behind'} PostgreSQL's.`,
          'Synchronise both with NTP: purges, budgets and sessions go by PostgreSQL, codes of authenticator apps by this machine.',
        );
  }

  private examineSecrets(): Finding {
    const { auth, webhooks, operators, metrics } = this.config;
    const secrets = [
      ...(auth.enabled ? [['AUTH_SECRET', auth.secret] as const] : []),
      ...(webhooks.enabled ? [['WEBHOOK_SECRET_KEY', webhooks.secretKey] as const] : []),
      ...(metrics.token === undefined ? [] : [['METRICS_TOKEN', metrics.token] as const]),
    ];
    const weak = secrets.filter(([, secret]) => new Set(secret).size < MIN_SECRET_VARIETY);
    const isShared = new Set(secrets.map(([, secret]) => secret)).size < secrets.length;
    if (weak.length > 0 || isShared)
      return problem(
        [
          ...(weak.length > 0 ? [`Easily guessed: ${weak.map(([name]) => name).join(', ')}.`] : []),
          ...(isShared ? ['One secret is used for several purposes.'] : []),
        ].join(' '),
        'Draw each by itself: openssl rand -base64 32. docs/operations/everyday.md tells how to rotate one.',
      );
    const names = secrets.map(([name]) => name);
    const keys = `operators' keys: ${operators.keys.length}`;
    return names.length === 0
      ? off(`None is needed (AUTH=off); ${keys}.`)
      : well(`${names.join(', ')}; ${keys}.`);
  }

  private examineBaseAddress(): Finding {
    const { http, links, auth } = this.config;
    const { protocol, hostname } = new URL(links.baseUrl);
    const isHere = LOOPBACK.includes(hostname);
    if (isHere && !['127.0.0.1', '::1', 'localhost'].includes(http.host))
      return problem(
        `Links lead to ${links.baseUrl}, which is this machine, though every address is listened on.`,
        'Set BASE_URL to the address that visitors use, such as https://names.example.',
      );
    if (protocol === 'http:' && !isHere && auth.enabled)
      return problem(
        `${links.baseUrl} is not encrypted: passwords and keys can be read on their way.`,
        'Serve it by https, and set BASE_URL so.',
      );
    return well(`Links lead to ${links.baseUrl}.`);
  }

  private async examineBackups(database: Database): Promise<Finding> {
    const { place } = this.config.backup;
    const state = await readBackupState(database, this.config);
    const words = describeBackups(state);
    const isOwnServer = this.config.database.url !== undefined;
    const isOld = !state.lastAt || daysBetween(state.lastAt, state.now) > (place ? 2 : MAX_BACKUP_DAYS);
    if (place && 'bucket' in place) {
      const { store, found } = await examineBucket(place.bucket, 'BACKUP_S3_URL', this.waitMs);
      if (found) return problem(`${store} ${found.problem}. ${words}`, found.remedy);
    }
    const { archiver } = state;
    if (archiver?.lastFailedAt)
      return problem(
        `PostgreSQL could not archive its log at ${archiver.lastFailedAt.toISOString()}. ${words}`,
        'Look at the log of PostgreSQL and at archive_command: the log grows until the disk is full.',
      );
    if (
      place &&
      'folder' in place &&
      !isOwnServer &&
      (await isSameDisk(place.folder, this.config.database.dataDir))
    )
      return problem(`BACKUP_DIR is on the disk of DATA_DIR. ${words}`, 'Set BACKUP_DIR to another disk.');
    if (isOld && archiver?.isOn !== true)
      return problem(
        words,
        place
          ? 'Look at `bowerbird jobs list` for the failure of `backup`.'
          : 'Set BACKUP_DIR or BACKUP_S3_URL, and BACKUP_KEY: docs/operations/backup.md.',
      );
    if (place && state.safeUntil && daysBetween(state.safeUntil, state.now) * DAY_MS > this.maxLossMs)
      return problem(words, 'Look at `bowerbird jobs list` for the failure of `backup-log`.');
    if (place && (!state.restoredAt || daysBetween(state.restoredAt, state.now) > MAX_DRILL_DAYS))
      return problem(
        `No backup was restored to prove it within ${MAX_DRILL_DAYS} days. ${words}`,
        'A first one is within the hour; else look at `bowerbird jobs list` for the failure of `backup-drill`.',
      );
    return well(words);
  }

  /** The embedded server sends its log all the time; of another one a day is lost between two dumps. */
  private get maxLossMs(): number {
    return this.config.database.url === undefined ? MAX_LOG_LOSS_MS : 2 * DAY_MS;
  }
}

/** The client of the store is loaded on demand: it takes 60 MB. */
async function examineBucket(
  bucket: Bucket,
  setting: string,
  limitMs: number,
): Promise<{ store: string; found: StoreProblem | null }> {
  const { BucketClient } = await import('../backup/bucket.js');
  const found = await new BucketClient(bucket, limitMs).findProblem(setting);
  return { store: `${hostOf(bucket.endpoint)} (bucket ${bucket.name})`, found };
}

function daysBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / DAY_MS;
}

async function isSameDisk(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map((folder) => stat(folder).catch(() => null)));
  return first !== null && first?.dev === second?.dev;
}

/** The report as the command prints it; problems first. */
export function describeDiagnosis({ problems, checks }: AnswerOf<'Diagnosis'>): string {
  const ordered = [...checks.filter(isProblem), ...checks.filter((check) => !isProblem(check))];
  const lines = ordered.map(({ part, state, finding, remedy }) => {
    const word = state === 'problem' ? 'PROBLEM' : state;
    const advice = remedy === null ? '' : `${' '.repeat(23)}> ${remedy}\n`;
    return `${word.padEnd(9)}${part.replace('_', ' ').padEnd(14)}${finding}\n${advice}`;
  });
  const end =
    problems === 0 ? 'No problem found.' : `${problems} ${problems === 1 ? 'problem' : 'problems'}.`;
  return `${lines.join('')}${end}\n`;
}

/** Examines an installation that starts; its log gets one line for each problem. */
export async function logProblems(
  config: Config,
  database: Database,
  logger: { warn(fields: object, line: string): void },
): Promise<void> {
  const report = await new Doctor(config, database).examine();
  for (const line of problemLines(report)) logger.warn({ context: 'Doctor' }, line);
}

/** One line for each problem. */
export function problemLines({ checks }: AnswerOf<'Diagnosis'>): string[] {
  return checks
    .filter(isProblem)
    .map(({ part, finding, remedy }) => `${part.replace('_', ' ')}: ${finding} ${remedy ?? ''}`.trim());
}

function isProblem({ state }: { readonly state: string }): boolean {
  return state === 'problem';
}

const well = (finding: string): Finding => ({ state: 'well', finding });
const off = (finding: string): Finding => ({ state: 'off', finding });
const problem = (finding: string, remedy: string): Finding => ({ state: 'problem', finding, remedy });

async function inTime(check: () => Finding | Promise<Finding>, limitMs: number): Promise<Finding> {
  const limit = AbortSignal.timeout(limitMs);
  const tooLate = new Promise<Finding>((resolve) => {
    limit.addEventListener('abort', () =>
      resolve(problem(`It was not known within ${limitMs / 1_000} s.`, 'Look why it does not answer.')),
    );
  });
  const found = Promise.resolve()
    .then(check)
    .catch((error: unknown) => problem(`It failed: ${messageOf(error)}`, 'Look at the log of the service.'));
  return Promise.race([found, tooLate]);
}

/** One question without a body to read, and without credentials. */
function askFor(url: URL, limitMs: number): ReturnType<typeof exchange> {
  return exchange(url, {
    headers: { Accept: 'application/rdap+json, */*;q=0.5', 'User-Agent': 'bowerbird' },
    limitMs,
    maxBytes: () => 0,
  });
}

/** Whether a service answers as RDAP does (RFC 9082, 3.1.6), also where it has no help, or is asked too often. */
function isRdap({ status, header }: Received): boolean {
  return status === TOO_MANY_REQUESTS || (status < 500 && /\bjson\b/i.test(header('content-type') ?? ''));
}

const TOO_MANY_REQUESTS = 429;

/** Opens a connection and closes it. @returns null when it can be opened, or why not, in words without credentials */
async function whyUnreachable(address: string, limitMs: number): Promise<string | null> {
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  const signal = AbortSignal.timeout(limitMs);
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) || (PORTS[protocol] ?? 443), signal });
    socket.once('connect', () => {
      socket.destroy();
      resolve(null);
    });
    socket.once('error', (error) =>
      resolve(signal.aborted ? `no connection within ${limitMs / 1_000} s.` : `${messageOf(error)}.`),
    );
  });
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'smtp:': 587, 'smtps:': 465 };

function hostOf(address: string): string {
  return new URL(address).host;
}
