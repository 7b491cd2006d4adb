import { isHttpsOrLoopbackUrl } from '../validation/formats.js';

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

const DEFAULT_REGION = 'us-east-1';

/** Reads `https://ACCESS_KEY_ID:SECRET@ENDPOINT/BUCKET/PREFIX?region=REGION`. @returns null when it is none */
export function parseBucketAddress(text: string): Bucket | null {
  if (!URL.canParse(text)) return null;
  const { origin, username, password, pathname, searchParams, hash } = new URL(text);
  const [name = '', ...prefix] = pathname.split('/').filter(Boolean).map(decode);
  const isKnown = [...searchParams.keys()].every((key) => key === 'region') && hash === '';
  if (!isHttpsOrLoopbackUrl(origin) || username === '' || password === '' || name === '' || !isKnown)
    return null;
  return {
    endpoint: origin,
    name,
    prefix: prefix.map((part) => `${part}/`).join(''),
    region: searchParams.get('region') ?? DEFAULT_REGION,
    accessKeyId: decode(username),
    secretAccessKey: decode(password),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
