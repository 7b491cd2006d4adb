import type { Tier } from '../config/tiers.js';

/**
 * What wider networks have, as multiples of what one address may: an office behind one address or one /48 has many
 * people. A share stands for a width as well: 1 for an address (IPv6: its /64), 4 for a /56, 16 for a /48 and a /24.
 */
export const SHARES = [1, 4, 16] as const;
export type Share = (typeof SHARES)[number];

/** Bits of the networks around an address, the narrowest first, with their shares. */
export const PREFIXES: Readonly<Record<'ipv4' | 'ipv6', readonly (readonly [bits: number, share: Share])[]>> =
  {
    ipv4: [
      [32, 1],
      [24, 16],
    ],
    ipv6: [
      [64, 1],
      [56, 4],
      [48, 16],
    ],
  };

interface Limit {
  /** For refusals and docs/BOUNDS.md. */
  readonly what: string;
  /**
   * `shares`: callers without an account, in memory or Redis. `attempts`: in PostgreSQL or Redis. `tally`: in memory or
   * Redis. `at_once`: in the memory of each process.
   */
  readonly counter: 'shares' | 'attempts' | 'tally' | 'at_once';
  /** Whom the number is for. Of networks, the wider ones have their multiples. */
  readonly of: 'network' | 'address' | 'account' | 'mailbox' | 'mail domain' | 'ticket' | 'installation';
  /** In the window; a name: the tier's own number. */
  readonly most: number | 'recordsPerMinute' | 'requestsPerMinute' | 'listPages';
  /** The window; null: at the same time. */
  readonly seconds: number | null;
  /** Multiples of wider networks, if not the share itself. */
  readonly times?: Readonly<Record<Share, number>>;
  /** Counted in PostgreSQL even if there is a Redis. */
  readonly isDurable?: boolean;
  /** Words for a refusal, if not "Too many attempts". */
  readonly refusal?: string;
}

/** A row for attempts. */
export type AttemptRow = Limit & { readonly most: number; readonly seconds: number };

const MINUTE = 60;
const QUARTER_HOUR = 900;
const HOUR = 3_600;
const CLOSE: Record<Share, number> = { 1: 1, 4: 2, 16: 4 };
const TOO_MANY_SIGN_UPS = 'Too many people are signing up just now';

/** THE table of limits, beside those of tiers. docs/BOUNDS.md repeats it. */
export const LIMITS = {
  records: {
    what: 'records without a key',
    ...{ counter: 'shares', of: 'network', most: 'recordsPerMinute', seconds: MINUTE },
  },
  list_pages: {
    what: 'list pages',
    ...{ counter: 'shares', of: 'network', most: 'listPages', seconds: 600 },
  },
  // The whole installation asks the registry 30 times a minute by default.
  live_checks: {
    what: 'live checks',
    ...{ counter: 'shares', of: 'network', most: 'recordsPerMinute', seconds: MINUTE, times: CLOSE },
  },
  // A browser opens six.
  connections: { what: 'connections', counter: 'at_once', of: 'network', most: 64, seconds: null },
  hashing: {
    what: 'passwords hashed while others wait',
    counter: 'at_once',
    of: 'network',
    most: 2,
    seconds: null,
  },
  requests: {
    what: 'requests',
    ...{ counter: 'tally', of: 'address', most: 'requestsPerMinute', seconds: MINUTE },
  },
  // Each costs a query.
  unknownKeys: {
    what: 'unknown keys',
    ...{ counter: 'tally', of: 'address', most: 'requestsPerMinute', seconds: MINUTE },
  },
  ticketPages: { what: 'pages', counter: 'tally', of: 'ticket', most: 10, seconds: 600 },
  // Guesses at one account from one network, at one account from all unknown networks, and at all accounts from one
  // network. 2,400 guesses a day do not find a password of ten characters.
  signIn: { what: 'sign-ins to one account', ...attemptsOfNetwork(10, QUARTER_HOUR) },
  signInToAccount: { what: "strangers' sign-ins", ...attemptsOf('account', 100, HOUR) },
  signInFromAddress: { what: 'sign-ins', ...attemptsOfNetwork(50, QUARTER_HOUR) },
  // Each attempt stores a row for five minutes.
  passkeyFromAddress: { what: 'passkey challenges', ...attemptsOfNetwork(100, QUARTER_HOUR) },
  // Requested while a password is typed; each takes milliseconds of CPU.
  passwordStrength: { what: 'rated passwords', ...attemptsOfNetwork(200, QUARTER_HOUR) },
  // Guesses from a stolen session.
  password: { what: 'entered passwords', ...attemptsOf('account', 10, QUARTER_HOUR) },
  // A code is valid for 90 s, but only once (RFC 6238, 5.2), also after Redis has lost its keys.
  usedCode: { what: 'uses of a code', ...attemptsOf('account', 1, 120), isDurable: true },
  // Sign-ups and forgotten passwords, which mail strangers.
  mailFromAddress: { what: 'mails to strangers', ...attemptsOfNetwork(20, HOUR) },
  // The same for all widths: a /48 mails one domain no more than all strangers may together.
  mailToDomainFrom: {
    what: 'of these to one domain',
    ...attemptsOfNetwork(60, HOUR),
    times: { 1: 1, 4: 1, 16: 1 },
  },
  // Of one kind; the only limit of what an account's owner or the account itself causes.
  mail: { what: 'mails of one kind', ...attemptsOf('mailbox', 5, HOUR) },
  // Sign-ups have shares of their own: made-up addresses must not use up the mails to accounts.
  mailToDomain: { what: 'sign-ups', ...attemptsOf('mail domain', 60, HOUR), refusal: TOO_MANY_SIGN_UPS },
  mailToProvider: {
    what: 'sign-ups (large provider)',
    ...attemptsOf('mail domain', 600, HOUR),
    refusal: TOO_MANY_SIGN_UPS,
  },
  mailToAnyone: { what: 'sign-ups', ...attemptsOf('installation', 1_000, HOUR), refusal: TOO_MANY_SIGN_UPS },
  holderMailToDomain: { what: "strangers' mails to accounts", ...attemptsOf('mail domain', 60, HOUR) },
  holderMailToProvider: {
    what: 'the same (large provider)',
    ...attemptsOf('mail domain', 600, HOUR),
  },
  holderMailToAnyone: { what: "strangers' mails to accounts", ...attemptsOf('installation', 1_000, HOUR) },
  // Hosted apps register each of their users from few addresses.
  registerApp: { what: 'registered apps', ...attemptsOfNetwork(60, HOUR), times: CLOSE },
  operatorKeys: {
    what: "wrong operators' keys",
    ...{ counter: 'tally', of: 'address', most: 10, seconds: QUARTER_HOUR },
  },
  // A page of a session that has ended is loaded again; a guess of 256 bits is hopeless, but asks PostgreSQL.
  operatorSessions: {
    what: "operators' pages without a session",
    ...{ counter: 'tally', of: 'address', most: 100, seconds: QUARTER_HOUR },
  },
  // Later ones are recorded whenever their number has doubled.
  recordedOperatorKeys: {
    what: "wrong operators' keys on record",
    ...{ counter: 'tally', of: 'installation', most: 20, seconds: HOUR },
  },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;
/** The limits that one kind of counter counts. */
export type LimitsOf<Counter extends Limit['counter']> = {
  [Name in LimitName]: (typeof LIMITS)[Name]['counter'] extends Counter ? Name : never;
}[LimitName];

export function limitsOf<Counter extends Limit['counter']>(counter: Counter): LimitsOf<Counter>[] {
  const isOf = (name: LimitName): name is LimitsOf<Counter> => LIMITS[name].counter === counter;
  return (Object.keys(LIMITS) as LimitName[]).filter(isOf);
}

/** How many times as much as an address a network may. */
export function timesOf(name: LimitName, share: Share): number {
  const { times }: Limit = LIMITS[name];
  return times?.[share] ?? share;
}

/** The number of a limit for callers of the tier. */
export function mostOf(name: LimitName, tier: Pick<Tier, Extract<Limit['most'], string>>): number {
  const { most }: Limit = LIMITS[name];
  return typeof most === 'number' ? most : tier[most];
}

function attemptsOfNetwork<const Most extends number>(most: Most, seconds: number) {
  return { counter: 'attempts', of: 'network', most, seconds } as const;
}

function attemptsOf<const Of extends Limit['of']>(of: Of, most: number, seconds: number) {
  return { counter: 'attempts', of, most, seconds } as const;
}
