import { Agent, request } from 'node:http';

/** A client gives up after this long: longer than any limit of the balancer or the service. */
const REQUEST_TIMEOUT_MS = 40_000;

const agents = new Map<string, Agent>();

export interface Question {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The loopback address that the client comes from, which is whom the demo tier counts. */
  readonly from?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly ms: number;
}

/** One request on a kept connection. @throws when the connection ends before the answer does */
export function ask(
  base: URL,
  { method = 'GET', path, headers = {}, body, from }: Question,
): Promise<Answer> {
  const began = performance.now();
  return new Promise((done, fail) => {
    const sent = request(
      {
        host: base.hostname,
        port: base.port,
        agent: agentFor(from ?? '127.0.0.1'),
        ...{ method, path, headers, localAddress: from ?? '127.0.0.1', timeout: REQUEST_TIMEOUT_MS },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', fail);
        response.once('end', () =>
          done({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
            ms: performance.now() - began,
          }),
        );
      },
    );
    sent.once('timeout', () => sent.destroy(new Error(`no answer within ${REQUEST_TIMEOUT_MS} ms`)));
    sent.once('error', fail);
    sent.end(body);
  });
}

function agentFor(from: string): Agent {
  const known = agents.get(from);
  if (known) return known;
  const agent = new Agent({ keepAlive: true, maxSockets: 256, scheduling: 'fifo' });
  agents.set(from, agent);
  return agent;
}

export function closeConnections(): void {
  for (const agent of agents.values()) agent.destroy();
  agents.clear();
}
