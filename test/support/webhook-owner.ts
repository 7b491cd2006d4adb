import { addKey, type KeySeed, WITH_WEBHOOKS } from './accounts.js';
import { startTestApp, type TestApp } from './app.js';
import { importVouched } from './import.js';
import { until } from './processes.js';
import { type Received, type Receiver, startReceiver } from './webhook-receiver.js';

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
export type Webhooks = ReturnType<typeof useWebhooks>;

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
  /** A webhook to an address of its own at the receiver. */
  const subscribe = async (settings: object = {}): Promise<{ id: string; path: string }> => {
    made += 1;
    const path = `/hook-${made}`;
    const url = receiver.url + path;
    const { body } = await call('post', '/api/v1/webhooks', { url, ...settings }).expect(201);
    receiver.secrets.set(path, body.secret);
    return { id: body.webhook.id, path };
  };
  return {
    ...key,
    call,
    logOf,
    subscribe,
    /** So many webhooks, one after the other: on a slow machine many at once would wait for a connection in vain. */
    async subscribeMany(count: number, settings: object): Promise<string[]> {
      const ids: string[] = [];
      while (ids.length < count) ids.push((await subscribe(settings)).id);
      return ids;
    },
    /** The delivery in the log, once it has come to this. */
    settled: (id: string, isSo: (one: Logged) => boolean): Promise<Logged> =>
      until('the delivery is so', async () => (await logOf(id)).find(isSo)),
  };
}

export function dropNames(test: TestApp, ...names: string[]): Promise<unknown> {
  const text = `domain,wayback\n${names.map((name) => `${name},5\n`).join('')}`;
  // Events have the time of the import, and a replay goes by it.
  return importVouched(test.database, text, { now: new Date() });
}

export function receivedAt(receiver: Receiver, path: string): Received[] {
  return receiver.received.filter((one) => one.path === path);
}

/**
 * For the tests of a file: a service that asks a receiver three times, and a receiver.
 *
 * @param environment variables that are to be otherwise
 */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- as addOwner
export function useWebhooks(environment: Record<string, string> = {}) {
  let test: TestApp;
  let receiver: Receiver;
  beforeAll(async () => {
    test = await startTestApp({
      ...WITH_WEBHOOKS,
      // A busy machine is no receiver that is silent.
      WEBHOOK_TIMEOUT_MS: '30000',
      WEBHOOK_RETRY_SECONDS: '0,0.01,0.01',
      TIERS: JSON.stringify({ pro: { requestsPerMinute: 100_000 } }),
      ...environment,
    });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.close();
    await test.close();
  });
  beforeEach(() => {
    receiver.mode = 'fine';
  });
  return {
    get test() {
      return test;
    },
    get receiver() {
      return receiver;
    },
    owner: (seed: Partial<KeySeed> = {}) => addOwner(test, receiver, seed),
    receivedAt: (path: string) => receivedAt(receiver, path),
    drop: (...names: string[]) => dropNames(test, ...names),
    /** Nobody waits for a retry. */
    async retryNow(id: string): Promise<void> {
      await test.database.query('UPDATE webhook_delivery SET due_at = now() WHERE webhook_id = $1', [id]);
      await test.database.query('UPDATE webhook SET not_before = NULL WHERE id = $1', [id]);
    },
  };
}

/** The name that a delivery of one event is about. */
export const nameOf = ({ body }: Pick<Received, 'body'>): string => (body.data as { domain: string }).domain;
