import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Engine } from '../../src/work/engine.js';
import { WorkKinds } from '../../src/work/kind.js';
import { WorkLoop } from '../../src/work/work-loop.js';
import { WorkRepository } from '../../src/work/work.repository.js';
import { startTestApp } from '../support/app.js';
import { addDomain } from '../support/domains.js';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

const HOUR_MS = 3_600_000;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

interface Resource {
  attributes: Span['attributes'];
}

/** A collector that keeps what it is sent. */
async function startCollector() {
  const spans: Span[] = [];
  const resources: Resource[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { resourceSpans } = JSON.parse(body) as {
        resourceSpans: { resource: Resource; scopeSpans: { spans: Span[] }[] }[];
      };
      resources.push(...resourceSpans.map(({ resource }) => resource));
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans, resources, close: () => new Promise((closed) => server.close(closed)) };
}

it('a request is a trace under the caller’s, with its steps, and without names', async () => {
  const collector = await startCollector();
  const test = await startTestApp({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await addDomain(test.database, { domain: 'secretive.com.au' });
  const { headers } = await test
    .caller()
    .get('/v1/domains/check')
    .query({ domain: 'untold-name.com.au' })
    .set('traceparent', `00-${TRACE}-${PARENT}-01`)
    .expect(200);
  await test.caller().get('/v1/suggest').query({ q: 'secret' }).expect(200);
  // What is not sent yet is sent when the service stops.
  await test.close();
  await collector.close();
  const request = collector.spans.find(({ name }) => name === 'GET /v1/domains/check');
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
  expect(request?.attributes).toContainEqual({
    key: 'bowerbird.request_id',
    value: { stringValue: headers['x-request-id'] },
  });
  const steps = collector.spans.filter(({ traceId, name }) => traceId === TRACE && name !== request?.name);
  expect(new Set(steps.map(({ name }) => name))).toEqual(new Set(['query', 'transaction', 'registry']));
  expect(collector.spans.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['GET /v1/suggest', 'search']),
  );
  expect(JSON.stringify(collector.spans)).not.toMatch(/secret|untold|198\.18|SELECT/);
});

it('a collector that is away keeps no request waiting, and the service from stopping no longer than its time', async () => {
  const test = await startTestApp({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  await test.caller().get('/v1/stats').expect(200);
  await test.close();
});

it('a run of a job is a trace of its own, with its steps, under the name of the service; a poll is none', async () => {
  const collector = await startCollector();
  const test = await startTestApp({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'names-of-sydney',
  });
  await test.app.get(WorkLoop).beforeApplicationShutdown();
  const engine = new Engine(test.app.get(WorkKinds), test.app.get(WorkRepository));
  await engine.runDue(new Date(Date.now() + 2 * HOUR_MS));
  await test.close();
  await collector.close();
  const roots = collector.spans.filter(({ parentSpanId = '' }) => parentSpanId === '');
  expect(roots.filter(({ name }) => !name.startsWith('job '))).toEqual([]);
  const purge = roots.find(({ name }) => name === 'job audit-purge');
  const steps = collector.spans.filter(({ parentSpanId }) => parentSpanId === purge?.spanId);
  expect(steps.map(({ name }) => name)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^(query|transaction)$/)]),
  );
  for (const { attributes } of collector.resources)
    expect(attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'names-of-sydney' } });
  expect(collector.resources.length).toBeGreaterThan(0);
});

it('a share of traces is sent, and a caller can ask for fewer, not for more', async () => {
  const traced = async (share: string, flags: string) => {
    const collector = await startCollector();
    const test = await startTestApp({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: share,
    });
    const asked = test.caller().get('/v1/stats').set('traceparent', `00-${TRACE}-${PARENT}-${flags}`);
    await asked.expect(200);
    await test.close();
    await collector.close();
    return collector.spans.some(({ traceId }) => traceId === TRACE);
  };
  expect([await traced('1', '01'), await traced('0', '01'), await traced('1', '00')]).toEqual([
    true,
    false,
    false,
  ]);
});
