import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

const SLOW_MS = 25;

/** How a receiver behaves. */
export type Mode =
  | 'fine'
  | 'slow'
  | 'failing'
  | 'gone'
  | 'busy'
  | 'redirecting'
  | 'resetting'
  | 'silent'
  | 'talkative'
  // Says its status, and does not end.
  | 'trailing off';

export interface Received {
  readonly id: string;
  readonly path: string;
  readonly body: { type: string; timestamp: string; number?: number; numbers?: number[]; data: unknown };
  readonly signatures: string[];
  /** The webhook-timestamp. */
  readonly sentAt: Date;
  readonly at: number;
}

/** A receiver on loopback that verifies every delivery with the official library. */
export interface Receiver {
  readonly url: string;
  /** Deliveries whose signature was right, in the order of their coming, whatever was answered. */
  readonly received: Received[];
  /** What came with a signature that was not. */
  readonly refused: string[];
  /** Secrets by path. */
  readonly secrets: Map<string, string>;
  /** What it has to read, by path. */
  readonly files: Map<string, string>;
  /** What it answers where all is well. */
  say: (received: Received | null) => string;
  mode: Mode;
  /** How many requests were under way at the same moment, at most. */
  mostAtOnce: number;
  /** How many are kept waiting now, and have not given up. */
  readonly waiting: number;
  /** Answers those that were kept waiting. */
  answerWaiting(status: number): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const held = new Set<ServerResponse>();
  const receiver = {
    url: '',
    received: [] as Received[],
    refused: [] as string[],
    secrets: new Map<string, string>(),
    files: new Map<string, string>(),
    say: (_: Received | null) => 'thank you',
    mode: 'fine' as Mode,
    mostAtOnce: 0,
    get waiting() {
      return held.size;
    },
    answerWaiting(status: number) {
      for (const response of held) response.writeHead(status).end();
      held.clear();
    },
    async close() {
      for (const response of held) response.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  let underWay = 0;
  const server = createServer((request, response) => {
    underWay += 1;
    receiver.mostAtOnce = Math.max(receiver.mostAtOnce, underWay);
    response.once('close', () => {
      underWay -= 1;
      held.delete(response);
    });
    const hear = (text: string) => {
      const path = request.url ?? '/';
      const headers = request.headers as Record<string, string>;
      if (request.method === 'GET') {
        const file = receiver.files.get(path);
        response.writeHead(file === undefined ? 404 : 200).end(file);
        return;
      }
      let heard: Received | null = null;
      try {
        const body = new Webhook(receiver.secrets.get(path) ?? '').verify(text, headers) as Received['body'];
        const signatures = (headers['webhook-signature'] ?? '').split(' ');
        heard = {
          id: headers['webhook-id'] ?? '',
          path,
          body,
          signatures,
          sentAt: new Date(Number(headers['webhook-timestamp']) * 1000),
          at: performance.now(),
        };
        receiver.received.push(heard);
      } catch (error) {
        receiver.refused.push(`${path}: ${String(error)}`);
      }
      answer(receiver.mode, request, response, heard);
    };
    // Whoever hangs up while still speaking waits for no answer.
    read(request).then(hear, () => undefined);
  });
  function answer(
    mode: Mode,
    request: IncomingMessage,
    response: ServerResponse,
    received: Received | null,
  ): void {
    switch (mode) {
      case 'fine':
        response.end(receiver.say(received));
        return;
      case 'slow':
        setTimeout(() => response.end('sorry for the delay'), SLOW_MS);
        return;
      case 'failing':
        response.writeHead(500).end('a fault of mine\0');
        return;
      case 'gone':
        response.writeHead(410).end();
        return;
      case 'busy':
        response.writeHead(429, { 'Retry-After': '3600' }).end();
        return;
      case 'redirecting':
        response.writeHead(307, { Location: `${receiver.url}/elsewhere` }).end();
        return;
      case 'resetting':
        request.socket.destroy();
        return;
      case 'silent':
        held.add(response);
        return;
      case 'talkative':
        response.write('x'.repeat(5_000));
        held.add(response);
        return;
      case 'trailing off':
        response.writeHead(200).write('well');
        held.add(response);
        return;
      default:
        mode satisfies never;
    }
  }
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
