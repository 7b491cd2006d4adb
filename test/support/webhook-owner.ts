import { addKey, type KeySeed } from './accounts.js';
import type { TestApp } from './app.js';
import { importText } from './import.js';
import { until } from './processes.js';
import type { Received, Receiver } from './webhook-receiver.js';

/** A delivery as its owner reads it. */
export interface Logged {
  id: string;
  type: string;
  status: string;
  attempts: number;
  response_status: number | null;
  response_text: string | null;
  problem: string | null;
  next_attempt_at: string | null;
}

export type WebhookOwner = Awaited<ReturnType<typeof addOwner>>;

let made = 0;

/** Somebody with a key for webhooks, whose deliveries go to this receiver. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- inferred from supertest
export async function addOwner(test: TestApp, receiver: Receiver, seed: Partial<KeySeed> = {}) {
  const key = await addKey(test.database, { tier: 'pro', scopes: ['read', 'webhooks'], ...seed });
  const call = (method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object) => {
    const request = test.caller()[method](path).set('Authorization', key.bearer);
    return body ? request.send(body) : request;
  };
  const logOf = async (id: string): Promise<Logged[]> =>
    (await call('get', `/api/v1/webhooks/${id}/deliveries`).expect(200)).body.results;
  return {
    ...key,
    call,
    logOf,
    /** A webhook to an address of its own at the receiver. */
    async subscribe(settings: object = {}): Promise<{ id: string; path: string }> {
      made += 1;
      const path = `/hook-${made}`;
      const url = receiver.url + path;
      const { body } = await call('post', '/api/v1/webhooks', { url, ...settings }).expect(201);
      receiver.secrets.set(path, body.secret);
      return { id: body.webhook.id, path };
    },
    /** The delivery in the log, once it has come to this. */
    settled: (id: string, isSo: (one: Logged) => boolean): Promise<Logged> =>
      until('the delivery is so', async () => (await logOf(id)).find(isSo)),
  };
}

export function dropNames(test: TestApp, ...names: string[]): Promise<unknown> {
  return importText(test.database, `domain,wayback\n${names.map((name) => `${name},5\n`).join('')}`);
}

export function receivedAt(receiver: Receiver, path: string): Received[] {
  return receiver.received.filter((one) => one.path === path);
}
