import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { Admission } from '../../src/access/admission.js';
import { WITH_KEYS } from './accounts.js';
import { startTestApp, type TestApp } from './app.js';
import { countWaiting } from './database.js';
import { addDomain } from './domains.js';
import { until } from './processes.js';

export const PATH = '/api/v1/domains/in-work.com.au';
/** One request in work; the mean time of work is 1 ms at first, so 249 free requests wait and others are refused. */
export const ENVIRONMENT = {
  ...WITH_KEYS,
  ADMISSION: 'on',
  ADMISSION_LIMIT: '1',
  DATABASE_TIMEOUT_MS: '60000',
  READ_DEADLINE_MS: '60000',
  METRICS_TOKEN: 'a-token-of-more-than-sixteen-characters',
};

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export const agent = new Agent({ keepAlive: false });

interface Asked {
  /** Null where the connection failed. */
  readonly answer: Promise<Answer | null>;
  hangUp(): void;
}

export function ask(url: string, path: string, headers: Record<string, string>): Asked {
  const asked = request(url + path, { headers, agent });
  const answer = new Promise<Answer | null>((resolve) => {
    asked
      .on('error', () => resolve(null))
      .on('response', (response) => {
        let body = '';
        response.on('data', (piece: Buffer) => (body += piece.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      });
  });
  asked.end();
  return { answer, hangUp: () => asked.destroy() };
}

/** Its gate's clock stands still, so that no wait is too long. */
export async function startBusyApp(environment: Record<string, string> = ENVIRONMENT): Promise<TestApp> {
  const test = await startTestApp(environment);
  test.app.get(Admission).nowMs = () => 0;
  await addDomain(test.database, { domain: 'in-work.com.au' });
  return test;
}

/** While one request is in work, which waits for a lock. */
export async function whileBusy<Result>(test: TestApp, work: () => Promise<Result>): Promise<Result> {
  const first = await test.database.transaction(async (transaction) => {
    await transaction.query('LOCK TABLE domain IN ACCESS EXCLUSIVE MODE');
    const { answer } = ask(test.url, PATH, { 'X-Forwarded-For': '198.18.200.1' });
    await until('it is in work', async () => (await countWaiting(test.database)) > 0);
    return { answer, result: await work() };
  });
  expect((await first.answer)?.status).toBe(200);
  return first.result;
}

export const arrivals = (test: TestApp, count: number): Promise<boolean> => {
  let arrived = 0;
  const server = test.app.getHttpServer();
  const note = () => (arrived += 1);
  server.on('request', note);
  return until('all have arrived', () => arrived >= count).finally(() => server.off('request', note));
};

/** Not by /metrics, whose readings of the dataset may wait for the lock. */
export async function waitingIn(test: TestApp, line: 'paid' | 'free'): Promise<number | null | undefined> {
  const readings = await test.app.get(Admission).read();
  return readings.find(({ label }) => label === line)?.value;
}
