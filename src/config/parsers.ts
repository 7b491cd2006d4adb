import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { domainToUnicode } from 'node:url';
import { digitsOf, isAbn } from '../validation/business-numbers.js';
import { isHttpsOrLoopbackUrl } from '../validation/formats.js';
import { isObject } from '../validation/unknown-values.js';
import { InvalidSetting } from './setting.js';
import { readTiers, TIER_NAMES, type TierName, type TierTable } from './tiers.js';
import { OPERATOR_ROLES } from './product.js';

// What the texts of settings are read into. Each parser throws InvalidSetting with what it expects.

/** Without a name for its connections, which say which release they are of (`schema_epoch`). */
export function postgresUrl(text: string): string {
  const [place = '', query] = anyPostgresUrl(text).split(/\?(.*)/);
  if (query === undefined) return text;
  const kept = query.split('&').filter((part) => decode(part.split('=')[0] ?? '') !== 'application_name');
  return kept.length === 0 ? place : `${place}?${kept.join('&')}`;
}

const anyPostgresUrl = matching(/^postgres(ql)?:\/\/\S+$/, 'a postgres:// or postgresql:// address');
export const redisUrl = matching(/^rediss?:\/\/\S+$/, 'a redis:// or rediss:// address');
export const smtpUrl = matching(/^smtps?:\/\/\S+$/, 'an smtp:// or smtps:// address');
export const email = matching(/^[^\s@<>(),:;"\\]+@[A-Za-z0-9._-]+$/, 'an e-mail address');
export const contact = matching(/^(mailto:[^\s@]+@\S+|https:\/\/\S+)$/, 'a mailto: or https: address');
export const secret = matching(/^[^]{32,1000}$/, 'a text of at least 32 characters');
export const encryptionKey = matching(
  /^[A-Za-z0-9+/]{43}=$/,
  '32 bytes in base64 (`openssl rand -base64 32`)',
);
export const stripeSecret = matching(
  /^whsec_\S{1,200}$/,
  "Stripe's signing secret, which starts with whsec_",
);
export const stripeKey = matching(
  /^(sk|rk)_\S{1,300}$/,
  "Stripe's secret or restricted key, which starts with sk_ or rk_",
);
export const resellerKey = matching(/^[0-9a-f]{32}$/, 'the 32 characters of a reseller API key');
export const line = matching(/^(?=.*\S)[^\p{C}]{1,200}$/u, 'a text of one line, of at most 200 characters');
export const cardSource = matching(/^(stripe|sandbox)$/, 'stripe or sandbox');
export const timeOfDay = matching(/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/, 'a time of day in UTC as HH:MM:SS');
export const canary = matching(/^[a-z0-9-]{2,63}(\.(com|net|org|id|asn))?\.au$/, 'a .au name');
export const hostName = matching(
  /^([A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\])$/,
  'a host name without scheme and port',
);
export const registerTemplate = matching(
  /^https?:\/\/\S*\{domain\}\S*$/,
  'an http(s) URL that holds {domain}',
);
/** An address that is read: by https, or by http from this machine. */
export const httpsUrl = accepting(isHttpsOrLoopbackUrl, 'an https URL without user (http only on loopback)');
export const host = accepting(isHost, 'an IP address or a host name');
/** An address that paths are appended to. */
export const httpUrl = accepting(
  (text) => /^https?:\/\/[^\s?#@]+$/.test(text) && hasHostName(text),
  'an http(s) URL without user, query and fragment',
);
/** An address that is read as it is. */
export const readUrl = accepting(
  (text) => /^https?:\/\/[^\s@]+$/.test(text) && hasHostName(text),
  'an http(s) URL without user',
);
export const file = (path: string): string => resolve(path);

function matching(pattern: RegExp, expected: string): (text: string) => string {
  return accepting((text) => pattern.test(text), expected);
}

function accepting(isValid: (text: string) => boolean, expected: string): (text: string) => string {
  return (text) => {
    if (!isValid(text)) throw new InvalidSetting(expected);
    return text;
  };
}

/** An address to listen on that can also stand in a link. */
function isHost(text: string): boolean {
  if (isIP(text) !== 0) return true;
  // A URL takes `1.2` for the address 1.0.0.2 and refuses `999.1.1.1`: such names would lead elsewhere, or fail.
  const address = `http://${text}`;
  return (
    /^[\w-]+(\.[\w-]+)*$/.test(text) &&
    URL.canParse(address) &&
    new URL(address).hostname === text.toLowerCase()
  );
}

// `xn--a.com` is no valid host name. URLs refuse it up to Node 22; newer versions accept it.
function hasHostName(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const name = domainToUnicode(new URL(address).hostname);
  return name !== '' && !name.split('.').some((label) => label.startsWith('xn--'));
}

export function seconds(text: string): number {
  if (!/^\d{1,7}(\.\d{1,3})?$/.test(text)) throw new InvalidSetting('a number of seconds');
  return Number(text);
}

/** @returns its digits */
export function abn(text: string): string {
  const digits = digitsOf(text);
  if (digits === null || !isAbn(digits)) throw new InvalidSetting('an ABN: 11 digits, with its check digits');
  return digits;
}

/** Where client addresses come from: the socket (false), a number of proxy hops, or listed proxies. */
export type TrustProxy = false | number | string[];

export function trustProxy(text: string): TrustProxy {
  if (text === 'off' || text === '0') return false;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const proxies = text.split(',').map((item) => item.trim());
  if (!proxies.every(isNetwork))
    throw new InvalidSetting('off, a number of hops, or a comma-separated list of addresses or CIDRs');
  // Any client could claim any address.
  if (proxies.some((proxy) => /\/0+$/.test(proxy)))
    throw new InvalidSetting('the number of proxies in front of the service, such as 1, or their addresses');
  return proxies;
}

function isNetwork(text: string): boolean {
  // The one mixed notation that Express reads.
  if (text.includes(':') && text.includes('.') && !/^::ffff:/i.test(text)) return false;
  return (
    ipaddr.IPv4.isValidFourPartDecimal(text) ||
    ipaddr.IPv4.isValidCIDRFourPartDecimal(text) ||
    ipaddr.IPv6.isValid(text) ||
    ipaddr.IPv6.isValidCIDR(text)
  );
}

export function hostAndPort(text: string): { readonly host: string; readonly port: number } {
  const [, name = '', port] = /^([A-Za-z0-9.-]+):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new InvalidSetting('host:port, with a port from 1 to 65535');
  return { host: name, port: Number(port) };
}

/** Where files are kept in an S3-compatible store. */
export interface Bucket {
  readonly endpoint: string;
  readonly name: string;
  /** Before the names of all objects: empty, or with a slash at its end. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** How many backups are kept: of days, of weeks and of months that have one, each its newest. */
export interface Retention {
  readonly days: number;
  readonly weeks: number;
  readonly months: number;
}

export function retention(text: string): Retention {
  const [, days, weeks, months] = /^([1-9]\d{0,2}),(\d{1,3}),(\d{1,3})$/.exec(text) ?? [];
  if (days === undefined) throw new InvalidSetting('DAYS,WEEKS,MONTHS, such as 7,4,6; one day at least');
  return { days: Number(days), weeks: Number(weeks), months: Number(months) };
}

const DEFAULT_REGION = 'us-east-1';

export function bucket(text: string): Bucket {
  const url = URL.canParse(text) ? new URL(text) : null;
  const [name = '', ...prefix] = url?.pathname.split('/').filter(Boolean).map(decode) ?? [];
  if (
    !url ||
    !isHttpsOrLoopbackUrl(url.origin) ||
    [url.username, url.password, name].includes('') ||
    url.hash !== '' ||
    [...url.searchParams.keys()].some((key) => key !== 'region')
  )
    throw new InvalidSetting(
      'https://ACCESS_KEY_ID:SECRET@ENDPOINT/BUCKET/PREFIX?region=REGION (http only on loopback)',
    );
  return {
    endpoint: url.origin,
    name,
    prefix: prefix.map((part) => `${part}/`).join(''),
    region: url.searchParams.get('region') ?? DEFAULT_REGION,
    accessKeyId: decode(url.username),
    secretAccessKey: decode(url.password),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A key of an operator, without its text. */
export interface OperatorKey {
  readonly name: string;
  /** SHA-256, in hexadecimal digits. */
  readonly hash: string;
  readonly role: (typeof OPERATOR_ROLES)[number];
  /** The key works until this day begins (UTC); null: for good. */
  readonly until: Date | null;
}

export function operatorKey(text: string): OperatorKey {
  const [, name, hash, role = 'act', until] = OPERATOR_KEY.exec(text) ?? [];
  const known = OPERATOR_ROLES.find((one) => one === role);
  const ends = until === undefined ? null : new Date(`${until}T00:00:00Z`);
  const isDay =
    ends === null || (!Number.isNaN(ends.getTime()) && ends.toISOString().startsWith(until ?? ''));
  if (name === undefined || hash === undefined || known === undefined || !isDay)
    throw new InvalidSetting(
      'NAME:HASH, NAME:HASH:ROLE or NAME:HASH:ROLE:DAY, as `node dist/cli.js operator-key NAME` prints it',
    );
  return { name, hash, role: known, until: ends };
}

const OPERATOR_KEY =
  /^([A-Za-z0-9][A-Za-z0-9._-]{0,39}):([0-9a-f]{64})(?::([a-z]+)(?::(\d{4}-\d{2}-\d{2}))?)?$/;

/** The id of a Stripe price, and the tier that it pays for. */
export function priceTier(text: string): readonly [price: string, tier: TierName] {
  const [, price, paid] = /^(price_[A-Za-z0-9]{1,100}):(\w+)$/.exec(text) ?? [];
  const tier = TIER_NAMES.find((name) => name === paid && name !== 'demo');
  if (price === undefined || tier === undefined)
    throw new InvalidSetting('PRICE:TIER, such as price_1A2b:pro');
  return [price, tier];
}

/** What a year under a suffix costs, in whole cents. */
export interface YearCents {
  readonly registration: number;
  readonly renewal: number;
}

export function yearCents(text: string): readonly [suffix: string, cents: YearCents] {
  const [, suffix, first, next = first] = /^([a-z]+(?:\.au)?):(\d{1,7})(?:\/(\d{1,7}))?$/.exec(text) ?? [];
  if (suffix === undefined)
    throw new InvalidSetting('SUFFIX:CENTS or SUFFIX:CENTS/RENEWAL, such as com.au:1100 or com.au:1100/1200');
  return [suffix, { registration: Number(first), renewal: Number(next) }];
}

export function tierTable(text: string): TierTable {
  const { tiers, problems } = readTiers(text);
  if (problems.length > 0) throw new InvalidSetting(problems);
  return tiers;
}

/** Where a free name can be registered. */
export interface Registrar {
  readonly name: string;
  /** A URL with `{domain}` where the name belongs. */
  readonly url: string;
  /** Whether the link earns the operator commission, which pages say. */
  readonly earns: boolean;
  /** Of a year, as the operator writes it: `from A$ 14.90`. */
  readonly price?: string | undefined;
  /** The day on which the operator saw that price: YYYY-MM-DD. */
  readonly price_seen?: string | undefined;
}

const MAX_REGISTRARS = 8;
const MAX_WORDS = 60;
const REGISTRAR_URL = /^https:\/\/[^\s{}@]+\{domain\}[^\s{}]*$/;

export function registrars(text: string): readonly Registrar[] {
  const list = parseJson(text);
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_REGISTRARS || !list.every(isRegistrar))
    throw new InvalidSetting(
      `a JSON list of 1 to ${MAX_REGISTRARS} objects with name (at most ${MAX_WORDS} characters), url (https, ` +
        'holding {domain} once), earns (true or false), and at will price (text) with price_seen (a day)',
    );
  return list.map(({ name, url, earns, price, price_seen }) => ({
    ...{ name, url, earns },
    ...(price !== undefined && { price, price_seen }),
  }));
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function isRegistrar(value: unknown): value is Registrar {
  return (
    isObject(value) &&
    isShortText(value.name) &&
    typeof value.url === 'string' &&
    REGISTRAR_URL.test(value.url) &&
    URL.canParse(value.url) &&
    typeof value.earns === 'boolean' &&
    (value.price === undefined) === (value.price_seen === undefined) &&
    (value.price === undefined || (isShortText(value.price) && DAY.test(String(value.price_seen))))
  );
}

export function prices(text: string): Readonly<Partial<Record<TierName, string>>> {
  const table = parseJson(text);
  const isTier = (name: string) => TIER_NAMES.some((tier) => tier === name);
  if (!isObject(table) || !Object.entries(table).every(([tier, words]) => isTier(tier) && isShortText(words)))
    throw new InvalidSetting(
      `a JSON object with a text of 1 to ${MAX_WORDS} characters for tiers among ${TIER_NAMES.join(', ')}`,
    );
  return table;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isShortText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_WORDS;
}
