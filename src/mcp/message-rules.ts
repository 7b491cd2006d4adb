import { isObject } from '../validation/unknown-values.js';

/** The last revision that knows JSON-RPC batches; 2025-06-18 took them out. */
const LAST_REVISION_WITH_BATCHES = '2025-03-26';
/** One HTTP request counts once for the flood limit. */
export const MAX_BATCH_MESSAGES = 10;

const INVALID_REQUEST = -32600;
// The SDK's own for a Content-Type that it does not read.
const UNSUPPORTED_MEDIA_TYPE = -32000;

/**
 * Refuses a batch that the revision forbids, that is too long or that cancels. Everything else is left to the SDK,
 * broken JSON included; the request stays readable for it.
 *
 * @returns the refusal, or null
 */
export async function refuseBatch(request: Request): Promise<Response | null> {
  const messages = parse(await request.clone().text());
  if (!Array.isArray(messages)) return null;
  const revision = request.headers.get('mcp-protocol-version') ?? LAST_REVISION_WITH_BATCHES;
  if (revision > LAST_REVISION_WITH_BATCHES)
    return refusal(
      `Revision ${LAST_REVISION_WITH_BATCHES} was the last with batches; send one message a request.`,
    );
  if (messages.length > MAX_BATCH_MESSAGES)
    return refusal(`A batch holds at most ${MAX_BATCH_MESSAGES} messages.`);
  // The SDK answers a batch when all of its requests are answered, which a cancelled one never is.
  if (messages.some(isCancellation) && messages.some(isRequest))
    return refusal('A batch with requests holds no notifications/cancelled: nothing could be cancelled yet.');
  return null;
}

const isCancellation = (message: unknown) =>
  isObject(message) && message.method === 'notifications/cancelled';
const isRequest = (message: unknown) => isObject(message) && 'id' in message && 'method' in message;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the SDK answers with a parse error.
    return undefined;
  }
}

/**
 * Refuses a compressed body. The SDK ignores the header and would call such a body broken JSON.
 *
 * @returns the refusal, or null
 */
export function refuseEncoding({ headers }: Request): Response | null {
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return null;
  const message = 'Unsupported Media Type: send the body as it is, without Content-Encoding';
  return refusal(message, UNSUPPORTED_MEDIA_TYPE, 415);
}

function refusal(message: string, code = INVALID_REQUEST, status = 400): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
