import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const KEY_ID = 'sandbox-key';
/** A key that exists and may do nothing. */
const IDLE_KEY_ID = 'idle-key';
const LIST_PAGE = 3;

interface StoredObject {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** The part of S3 that the service uses, on loopback. Requests must be signed; signatures are not verified. */
export interface ObjectStore {
  /** What EXPORT_S3_URL is for it. */
  readonly address: string;
  readonly objects: Map<string, StoredObject>;
  /** From now on every upload is refused. */
  refuseUploads(refuses: boolean): void;
  close(): Promise<void>;
}

export async function startObjectStore(): Promise<ObjectStore> {
  const objects = new Map<string, StoredObject>();
  let refuses = false;
  const server = createServer((request, response) => {
    answer(request, response, objects, refuses).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://${KEY_ID}:s%2Fecret@127.0.0.1:${port}/names/daily?region=ap-southeast-2`,
    objects,
    refuseUploads: (value) => {
      refuses = value;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  objects: Map<string, StoredObject>,
  refuses: boolean,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://store');
  const body = await bodyOf(request);
  if (!isSigned(request, url)) {
    const isIdle = request.headers.authorization?.includes(`Credential=${IDLE_KEY_ID}/`);
    fail(response, 403, isIdle ? 'AccessDenied' : 'InvalidAccessKeyId');
    return;
  }
  const [, bucket, ...path] = decodeURIComponent(url.pathname).split('/');
  if (bucket !== 'names') {
    fail(response, 404, 'NoSuchBucket');
    return;
  }
  const key = path.join('/');
  if (url.searchParams.get('list-type') === '2') {
    list(response, url.searchParams, [...objects.keys()]);
    return;
  }
  if (request.method === 'PUT') {
    if (refuses) {
      fail(response, 403, 'AccessDenied');
      return;
    }
    objects.set(key, { body, headers: keptHeaders(request) });
    response.writeHead(200, { ETag: '"x"' }).end();
    return;
  }
  if (request.method === 'DELETE') {
    objects.delete(key);
    response.writeHead(204).end();
    return;
  }
  const found = objects.get(key);
  if (!found) {
    fail(response, 404, 'NoSuchKey');
    return;
  }
  send(request, response, found);
}

function send(request: IncomingMessage, response: ServerResponse, { body, headers }: StoredObject): void {
  const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
  const part = body.subarray(Number(from ?? 0));
  response.writeHead(from === undefined ? 200 : 206, { ...headers, 'Content-Length': part.length });
  response.end(request.method === 'HEAD' ? undefined : part);
}

/** By header, or by an address that has not ended. */
function isSigned({ headers, method }: IncomingMessage, { searchParams }: URL): boolean {
  if (headers.authorization?.includes(`Credential=${KEY_ID}/`)) return true;
  const date =
    searchParams.get('X-Amz-Date')?.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5') ?? '';
  const endsAt = Date.parse(date) + Number(searchParams.get('X-Amz-Expires')) * 1_000;
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && searchParams.has('X-Amz-Signature') && endsAt > Date.now();
}

function keptHeaders({ headers }: IncomingMessage): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) =>
    /^(content-(type|disposition)|x-amz-meta-.*)$/.test(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function list(response: ServerResponse, parameters: URLSearchParams, keys: readonly string[]): void {
  const after = parameters.get('continuation-token') ?? '';
  const prefix = parameters.get('prefix') ?? '';
  const rest = keys.filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = rest.slice(0, LIST_PAGE);
  const next =
    rest.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
  response.writeHead(200, { 'Content-Type': 'application/xml' });
  response.end(
    `<?xml version="1.0"?><ListBucketResult><Name>names</Name>${contents}${next}</ListBucketResult>`,
  );
}

function fail(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
