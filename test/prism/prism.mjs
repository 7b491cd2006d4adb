// Prism plays each document that a running service serves, and then stands between a client and that service: what is asked and
// answered has to be what the document says.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from '../browser/service.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const START_LIMIT_MS = 60_000;
/** A port that is free when it is looked for may be taken when Prism listens: another program of this machine was faster. */
const STARTS = 3;
/** It looks like a key, and nobody holds it: the service refuses it as the document says. */
const NO_KEY = 'Bearer dau_live_000000000000000000000000000000000000';
/** Prism has no example of a file; and an address without a path for its name is one that it cannot tell. */
const FILES = ['downloadExport'];

// Everything asks from one address, and within a minute.
process.env.TIERS = '{"demo":{"recordsPerMinute":1000,"requestsPerMinute":1000}}';
const scratch = await mkdtemp(join(tmpdir(), 'bowerbird-prism-'));
const service = await startService();
try {
  for (const prefix of ['v1', 'api/v1']) {
    const document = await (await fetch(`${service.url}/${prefix}/openapi.json`)).json();
    const file = join(scratch, `${prefix.replace('/', '-')}.json`);
    await writeFile(file, JSON.stringify(document));
    const requests = requestsOf(document).filter(({ operationId }) => !FILES.includes(operationId));
    await withPrism(['mock', file, '--errors'], async (url) => {
      for (const request of requests) {
        const { status, text } = await ask(url, request);
        assert.ok(status >= 200 && status < 300, `${request.operationId}: ${status} ${text}`);
      }
    });
    console.log(`ok   ${prefix}: Prism plays ${requests.length} operations`);
    await withPrism(['proxy', file, service.url], async (url) => {
      for (const request of requests) {
        const { status, text, violations } = await ask(url, request);
        assert.equal(violations, null, `${request.operationId}: ${status} ${text}\n${violations}`);
        assert.ok(status < 500 || status === 503, `${request.operationId}: ${status} ${text}`);
      }
      // And Prism would have said so.
      const wrong = { operationId: 'wrong', method: 'GET', path: `/${prefix}/domains/check` };
      assert.match((await ask(url, wrong)).violations ?? '', /domain/);
    });
    console.log(`ok   ${prefix}: no finding between a client and the service`);
  }
} finally {
  await service.stop();
  await rm(scratch, { recursive: true, force: true });
}

/** Each operation as its sample asks it. */
function requestsOf({ paths }) {
  return Object.values(paths).flatMap((item) =>
    Object.entries(item).map(([method, { operationId, security, 'x-codeSamples': samples }]) => {
      const { source } = samples.find(({ label }) => label === 'curl');
      const [, address] = /'(https?:[^']+)'/.exec(source);
      const [, body] = /-d '([^]*)'$/.exec(source) ?? [];
      const needsKey = security?.every((scheme) => Object.keys(scheme).length > 0) ?? false;
      return {
        operationId,
        method: method.toUpperCase(),
        path: address.slice(service.url.length),
        body,
        needsKey,
      };
    }),
  );
}

async function ask(url, { method, path, body, needsKey }) {
  const headers = {
    ...(needsKey && { Authorization: NO_KEY }),
    ...(body && { 'Content-Type': 'application/json' }),
  };
  const answer = await fetch(url + path, { method, headers, ...(body && { body }) });
  const violations = answer.headers.get('sl-violations');
  return { status: answer.status, text: (await answer.text()).slice(0, 500), violations };
}

async function withPrism(args, work) {
  const { prism, port } = await startPrism(args, STARTS);
  try {
    await work(`http://127.0.0.1:${port}`);
  } finally {
    if (prism.exitCode === null) {
      prism.kill('SIGTERM');
      await once(prism, 'exit');
    }
  }
}

async function startPrism(args, starts) {
  const port = await freePort();
  const prism = spawn(join(here, 'node_modules/.bin/prism'), [...args, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [prism.stdout, prism.stderr]) stream.on('data', (text) => (said += text));
  const until = Date.now() + START_LIMIT_MS;
  while (!said.includes('is listening')) {
    if (prism.exitCode !== null && said.includes('EADDRINUSE') && starts > 1)
      return startPrism(args, starts - 1);
    if (Date.now() > until || prism.exitCode !== null) {
      prism.kill('SIGTERM');
      throw new Error(`Prism did not start:\n${said}`);
    }
    await new Promise((next) => setTimeout(next, 100));
  }
  return { prism, port };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
