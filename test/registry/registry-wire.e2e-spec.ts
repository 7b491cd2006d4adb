import { Logger } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { readConfig } from '../../src/config/read-config.js';
import { AvailabilityServiceLookup } from '../../src/registry/availability-service.js';
import { RdapBootstrap } from '../../src/registry/rdap-bootstrap.js';
import { RdapLookup } from '../../src/registry/rdap-lookup.js';
import type { Result, Said } from '../../src/registry/answer.js';
import {
  freshName,
  NOT_FOUND,
  type Reply,
  type ScriptedRegistry,
  startAvailabilityService,
  startScriptedRegistry,
} from '../support/registry.js';

const TIMEOUT_MS = 200;
// Where the answer is no timeout, a busy machine may take its time.
const LONG_TIMEOUT_MS = 10_000;
const limitFor = (outcome: string) => (outcome === 'timeout' ? TIMEOUT_MS : LONG_TIMEOUT_MS);
const outcomeOf = (result: Result<Said>) => (result.answered ? result.state : result.reason);

describe('RdapLookup over the wire', () => {
  let rdap: ScriptedRegistry;
  beforeAll(async () => {
    rdap = await startScriptedRegistry();
  });
  afterAll(() => rdap.close());

  const RDAP = { 'Content-Type': 'application/rdap+json' };
  const PACKED = { ...RDAP, 'Content-Encoding': 'gzip' };
  const domainObject = (padding: number) =>
    JSON.stringify({ objectClassName: 'domain', padding: 'x'.repeat(padding) });

  const BOMB = gzipSync(domainObject(50_000_000));

  it.each<[string, Reply, string]>([
    ['an object', { status: 200, body: domainObject(0) }, 'registered'],
    ['an object of 200 kB', { status: 200, body: domainObject(200_000) }, 'registered'],
    ['an object of 300 kB', { status: 200, body: domainObject(300_000) }, 'too_large'],
    [
      'a packed object',
      (_, response) => response.writeHead(200, PACKED).end(gzipSync(domainObject(10))),
      'registered',
    ],
    ['a packed bomb', (_, response) => response.writeHead(200, PACKED).end(BOMB), 'too_large'],
    ['packed rubbish', (_, response) => response.writeHead(200, PACKED).end('x'), 'unreachable'],
    [
      'a packed "not found" that is cut off',
      (_, response) => response.writeHead(404, PACKED).end(gzipSync('{}').subarray(0, 10)),
      'unreachable',
    ],
    ['an object behind a byte order mark', { status: 200, body: `\uFEFF${domainObject(0)}` }, 'registered'],
    [
      'bytes that are no UTF-8',
      (_, response) => response.writeHead(200, RDAP).end(Buffer.from([0xff, 0xfe, 0x80])),
      'not_understood',
    ],
    ['not found', NOT_FOUND, 'available'],
    [
      'a redirect to a name that is free',
      { status: 302, headers: { Location: '/domain/free.com.au' } },
      'not_understood',
    ],
    ['silence', () => undefined, 'timeout'],
    ['a head and no body', (_, response) => void response.writeHead(200, RDAP).write('{'), 'timeout'],
    ['a body that trickles', (_, response) => trickle(response), 'timeout'],
    ['a reset', (request) => request.socket.resetAndDestroy(), 'unreachable'],
    ['half a "not found"', (_, response) => half(response, 404, '{"errorCode":404,'), 'unreachable'],
    ['an empty "not found" over HTTP/1.0', (request) => oldHttp(request, ''), 'not_understood'],
    [
      'a cut-off "not found" over HTTP/1.0',
      (request) => oldHttp(request, '{"errorCode":404,'),
      'not_understood',
    ],
    ['a whole "not found" over HTTP/1.0', (request) => oldHttp(request, '{"errorCode":404}'), 'available'],
    ['half an object', (_, response) => half(response, 200, '{"objectClassName":"domain",'), 'unreachable'],
    ['no HTTP at all', (request) => void request.socket.end('SSH-2.0-OpenSSH_9.2\r\n'), 'unreachable'],
    ['a 500 whose body never ends', (_, response) => void response.writeHead(500).write('x'), 'failing'],
  ])('%s', async (_what, reply, outcome) => {
    const domain = freshName();
    rdap.reply(reply, domain.domain);
    const result = await new RdapLookup('rdap', () => rdap.url, limitFor(outcome)).ask(domain, new Date());
    expect(outcomeOf(result)).toBe(outcome);
  });

  it('asks for the name as RDAP, and says who asks', async () => {
    const domain = freshName();
    let asked = {};
    rdap.reply(({ method, url, headers }, response) => {
      asked = { method, url, accept: headers.accept, agent: headers['user-agent'] };
      response.writeHead(404).end();
    }, domain.domain);
    await new RdapLookup('rdap', () => rdap.url, LONG_TIMEOUT_MS).ask(domain, new Date());
    expect(asked).toEqual({
      method: 'GET',
      url: `/domain/${domain.domain}`,
      accept: expect.stringMatching(/^application\/rdap\+json/),
      agent: 'bowerbird',
    });
  });

  it('finds nobody behind a closed port', async () => {
    const gone = await startScriptedRegistry();
    await gone.close();
    const result = await new RdapLookup('rdap', () => gone.url, LONG_TIMEOUT_MS).ask(freshName(), new Date());
    expect(result).toMatchObject({ reason: 'unreachable', detail: 'ECONNREFUSED' });
  });

  // Without a length: only the end of the connection says that there is no more.
  function oldHttp(request: IncomingMessage, body: string): void {
    request.socket.end(`HTTP/1.0 404 Not Found\r\nContent-Type: application/rdap+json\r\n\r\n${body}`);
  }

  function half(response: ServerResponse, status: number, text: string): void {
    response.writeHead(status, { ...RDAP, 'Content-Length': 1000 });
    response.write(text, () => response.destroy());
  }

  function trickle(response: ServerResponse): void {
    response.writeHead(200, RDAP);
    const timer = setInterval(() => response.write(' '), 10);
    response.on('close', () => clearInterval(timer));
  }
});

describe('AvailabilityServiceLookup over the wire', () => {
  it.each<[string, (socket: Socket) => void, string]>([
    ['Available', (socket) => socket.end('Available\r\n'), 'available'],
    ['Not Available', (socket) => socket.end('Not Available\r\n'), 'registered'],
    ['NOT SUPPORTED', (socket) => socket.end('NOT SUPPORTED\r\n'), 'not_served'],
    [
      'Not Available in two parts',
      (socket) => void socket.write('Not ', () => socket.end('Available\r\n')),
      'registered',
    ],
    ['a ban', (socket) => socket.end('Your address is blocked. Nothing is Available.\r\n'), 'not_understood'],
    ['nothing', (socket) => socket.end(), 'unreachable'],
    ['a reset', (socket) => socket.resetAndDestroy(), 'unreachable'],
    ['half an answer', (socket) => socket.end('Not Avail'), 'not_understood'],
    ['silence', () => undefined, 'timeout'],
    ['an answer whose end never comes', (socket) => void socket.write('Available\r\n'), 'timeout'],
    ['a flood', (socket) => socket.end('Available\r\n'.repeat(1000)), 'too_large'],
  ])('%s', async (_what, respond, outcome) => {
    const service = await startAvailabilityService(respond);
    const [host = '', port] = service.address.split(':');
    const domain = freshName();
    const result = await new AvailabilityServiceLookup({ host, port: Number(port) }, limitFor(outcome)).ask(
      domain,
    );
    expect(outcomeOf(result)).toBe(outcome);
    // On a busy machine the time may be over before the question is sent.
    if (outcome !== 'timeout') expect(service.received).toEqual([`${domain.domain}\r\n`]);
    await service.close();
  });

  it('finds nobody behind a closed port', async () => {
    const gone = await startAvailabilityService(() => undefined);
    await gone.close();
    const [host = '', port] = gone.address.split(':');
    const result = await new AvailabilityServiceLookup({ host, port: Number(port) }, LONG_TIMEOUT_MS).ask(
      freshName(),
    );
    expect(result).toMatchObject({ reason: 'unreachable', detail: 'ECONNREFUSED' });
  });

  it('finds nobody at an address that cannot be, and keeps no socket', async () => {
    const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
    const before = sockets();
    const lookup = new AvailabilityServiceLookup({ host: '127.0.0.1', port: 99_999 }, LONG_TIMEOUT_MS);
    expect(await lookup.ask(freshName())).toMatchObject({
      reason: 'unreachable',
      detail: 'ERR_SOCKET_BAD_PORT',
    });
    // A handle closes within some turns of the loop.
    for (let turns = 0; sockets() > before && turns < 100; turns += 1) await new Promise(setImmediate);
    expect(sockets()).toBeLessThanOrEqual(before);
  });
});

describe('RdapBootstrap', () => {
  let iana: ScriptedRegistry;
  beforeAll(async () => {
    iana = await startScriptedRegistry();
  });
  afterAll(() => iana.close());
  afterEach(() => jest.restoreAllMocks());

  const DEFAULT_URL = 'https://rdap.cctld.au/rdap/';
  const listing = (url: string): Reply => ({ status: 200, body: { services: [[['au'], [url]]] } });
  const bootstrap = (environment: Record<string, string> = {}) =>
    new RdapBootstrap(readConfig({ REGISTRY_BOOTSTRAP_URL: iana.url, ...environment }));

  it('uses the built-in address until the list names another', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
    iana.reply(listing('https://rdap.example/au'));
    const subject = bootstrap();
    expect(subject.baseUrl).toBe(DEFAULT_URL);
    await subject.refresh();
    expect(subject.baseUrl).toBe('https://rdap.example/au/');
    expect(log).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Reply]>([
    ['fails', { status: 500 }],
    ['redirects', { status: 302, headers: { Location: 'https://elsewhere.example/' } }],
    ['is no JSON', { status: 200, body: '<html>' }],
    ['does not list .au', { status: 200, body: { services: [[['nz'], ['https://rdap.example/']]] } }],
    ['lists a plain http address', listing('http://rdap.example/')],
    ['is cut off', (request) => request.socket.resetAndDestroy()],
    ['is far too large', { status: 200, body: 'x'.repeat(5_000_000) }],
  ])('keeps the address when the list %s', async (_what, reply) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    iana.reply(reply);
    const subject = bootstrap();
    await subject.refresh();
    expect(subject.baseUrl).toBe(DEFAULT_URL);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('stays in use'));
  });

  it('never replaces an address set by hand, nor asks when it is off', async () => {
    iana.reply(listing('https://rdap.example/au'));
    const asked = iana.asked.length;
    const settings: Record<string, string>[] = [
      { REGISTRY_RDAP_URL: 'https://mine.example/rdap' },
      { REGISTRY_BOOTSTRAP_URL: 'off' },
    ];
    for (const environment of settings) {
      const subject = bootstrap(environment);
      const before = subject.baseUrl;
      await subject.refresh();
      expect(subject.baseUrl).toBe(before);
    }
    expect(iana.asked).toHaveLength(asked);
  });

  it('is not waited for, and gives up when the service stops', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    iana.reply(() => undefined);
    const asked = iana.asked.length;
    const subject = bootstrap();
    const reading = subject.refresh();
    await iana.received(asked + 1);
    subject.onApplicationShutdown();
    await reading;
    expect(warn).not.toHaveBeenCalled();
  });
});
