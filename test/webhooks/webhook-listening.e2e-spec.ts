import { WITH_WEBHOOKS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';
import { until } from '../support/processes.js';
import { type CutOff, type Proxy, startCutOff, startProxy } from '../support/proxy.js';
import { addOwner, dropNames, receivedAt } from '../support/webhook-owner.js';
import { type Receiver, startReceiver } from '../support/webhook-receiver.js';

let databaseUrl: string;
let receiver: Receiver;
beforeAll(async () => {
  databaseUrl = await cloneTemplate();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  dropDatabase(databaseUrl);
});

async function arrives(test: TestApp, name: string): Promise<void> {
  const { path } = await (await addOwner(test, receiver)).subscribe({ q: name });
  await dropNames(test, `${name}.com.au`);
  await until('the delivery', () => receivedAt(receiver, path)[0]);
}

describe('behind something that swallows LISTEN', () => {
  let proxy: Proxy;
  beforeAll(async () => {
    // Whoever listens hears nothing any more, not even a goodbye.
    proxy = await startProxy(databaseUrl, (incoming, outgoing) => {
      let isSwallowed = false;
      for (const [one, other] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        one.on('data', (chunk: Buffer) => {
          isSwallowed ||= chunk.includes('LISTEN');
          if (!isSwallowed) other.write(chunk);
        });
        one.on('end', () => !isSwallowed && other.end());
      }
    });
  });
  afterAll(() => proxy.close());

  it('deliveries are made by the clock, and the worker ends when it is told to', async () => {
    const test = await startTestApp({ ...WITH_WEBHOOKS, DATABASE_URL: proxy.url });
    await arrives(test, 'swallowed');
    // A worker that waited for the goodbye of its listener would never end.
    await test.close();
  });
});

describe('with the database away', () => {
  let cutOff: CutOff;
  let test: TestApp;
  beforeAll(async () => {
    cutOff = await startCutOff(databaseUrl);
    test = await startTestApp({ ...WITH_WEBHOOKS, DATABASE_URL: cutOff.url });
  });
  afterAll(async () => {
    await test.close();
    await cutOff.close();
  });

  it('the worker says so, with each reason once, and once when it goes on', async () => {
    await arrives(test, 'before');
    const begunAt = test.log.length;
    const said = (text: string) =>
      test.log.slice(begunAt).flatMap((line) => new RegExp(`"${text}([^"]*)`).exec(line)?.[1] ?? []);
    // A server that refuses and one that hangs up are different reasons; which of them come is the system's choice.
    const reasons = () => [
      said('Work waits: '),
      said('Events are looked for by the clock, as they cannot be listened to: '),
    ];
    cutOff.setAway(true);
    await until('all of it is said', () => reasons().every(({ length }) => length > 0));
    const whileAway = reasons();
    expect(whileAway).toEqual(whileAway.map((texts) => [...new Set(texts)]));
    cutOff.setAway(false);
    await until('it goes on', () => said('Work waits no longer').length > 0);
    await arrives(test, 'behind');
    expect(said('Work waits no longer')).toHaveLength(1);
  });
});
