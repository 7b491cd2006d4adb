import { Transform } from 'class-transformer';
import { isURL, ValidateBy } from 'class-validator';
import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import { parseBucketAddress } from './bucket-address.js';
import { isHttpsOrLoopbackUrl } from '../validation/formats.js';

export const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
export const TIME_OF_DAY_RULE = '$property must be a time of day as HH:MM:SS, in UTC';

/** A bucket of an S3-compatible store, with what signs requests. */
export function IsBucketAddress(): PropertyDecorator {
  return satisfies(
    'must be https://ACCESS_KEY_ID:SECRET@ENDPOINT/BUCKET/PREFIX?region=REGION (http only on loopback)',
    isBucketAddress,
  );
}

/** What a server can listen on and what can stand in the address of a page. */
export function IsHost(): PropertyDecorator {
  return satisfies('must be an IP address or a host name', isHost);
}

/** An address that paths are appended to. */
export function IsHttpUrl(): PropertyDecorator {
  return satisfies('must be an http(s) URL without user, query and fragment', isHttpUrl);
}

/** `off`, or an address that is read. */
export function IsOffOrHttpUrl(): PropertyDecorator {
  return satisfies('must be off or an http(s) URL without user', isOffOrHttpUrl);
}

/** Each an address that is read: by https, or by http from this machine. */
export function AreHttpsUrls(): PropertyDecorator {
  const defaultMessage = () =>
    '$property must be a comma-separated list of https URLs without user (http only on loopback)';
  const validate = (value: unknown) => typeof value === 'string' && isHttpsOrLoopbackUrl(value);
  return ValidateBy({ name: 'areHttpsUrls', validator: { validate, defaultMessage } }, { each: true });
}

/** `off`, or host:port. */
export function IsOffOrHostPort(): PropertyDecorator {
  return satisfies('must be off or host:port, with a port from 1 to 65535', isOffOrHostPort);
}

/** A list written with commas. */
export function CommaSeparated(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => commaSeparated(value));
}

export function commaSeparated(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const items = value.split(',').map((item) => item.trim());
  return items.filter(Boolean);
}

function satisfies(rule: string, judge: (text: string) => boolean): PropertyDecorator {
  const validate = (value: unknown) => typeof value === 'string' && judge(value);
  return ValidateBy({ name: judge.name, validator: { validate, defaultMessage: () => `$property ${rule}` } });
}

function isBucketAddress(text: string): boolean {
  return parseBucketAddress(text) !== null;
}

function isHost(text: string): boolean {
  if (isIP(text) !== 0) return true;
  // A URL takes `1.2` for the address 1.0.0.2 and refuses `999.1.1.1`: such names would lead elsewhere or nowhere.
  const address = `http://${text}`;
  return (
    /^[\w-]+(\.[\w-]+)*$/.test(text) &&
    URL.canParse(address) &&
    new URL(address).hostname === text.toLowerCase()
  );
}

const HTTP_URL = {
  protocols: ['http', 'https'],
  require_protocol: true,
  require_tld: false,
  allow_query_components: false,
  allow_fragments: false,
  // fetch refuses addresses with credentials, and links are no place for them.
  disallow_auth: true,
};

function isHttpUrl(text: string): boolean {
  return isURL(text, HTTP_URL) && hasHostName(text);
}

function isOffOrHttpUrl(text: string): boolean {
  return text === 'off' || (/^https?:\/\/[^\s@]+$/.test(text) && hasHostName(text));
}

// `xn--a.com` stands for no name. URLs refuse it up to Node 22, newer ones leave it as it is.
function hasHostName(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const name = domainToUnicode(new URL(address).hostname);
  return name !== '' && !name.split('.').some((label) => label.startsWith('xn--'));
}

function isOffOrHostPort(text: string): boolean {
  if (text === 'off') return true;
  const [, port] = /^[A-Za-z0-9.-]+:(\d{1,5})$/.exec(text) ?? [];
  return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
}
