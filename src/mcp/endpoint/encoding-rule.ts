// The SDK's own for a Content-Type that it does not read.
const UNSUPPORTED_MEDIA_TYPE = -32000;

/**
 * Refuses a body that is said to be packed. The SDK passes over the header and would call such a body broken JSON, or read one that is
 * not what the header says.
 *
 * @returns the refusal, or null
 */
export function refuseEncoding({ headers }: Request): Response | null {
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return null;
  const message = 'Unsupported Media Type: send the body as it is, without Content-Encoding';
  const body = { jsonrpc: '2.0', id: null, error: { code: UNSUPPORTED_MEDIA_TYPE, message } };
  return Response.json(body, { status: 415 });
}
