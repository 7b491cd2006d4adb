import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { readConfig } from '../../src/config/read-config.js';
import { ConfigModule } from '../../src/config/config.js';
import { DatabaseModule } from '../../src/db/open-database.js';
import { ReplicasModule } from '../../src/db/replicas/read-database.js';
import { type SandboxAnswer, SANDBOX_LABELS, sandboxAnswerOf } from '../../src/demo/sandbox-names.js';
import { type SandboxRegistry, startSandboxRegistry } from '../../src/demo/sandbox-registry.js';
import { judgeDomainName, parseDomainName } from '../../src/domains/name/domain-name.js';
import { SUFFIXES } from '../../src/domains/schema/domain.js';
import { RdapLookup } from '../../src/registry/rdap-lookup.js';
import { WorkModule } from '../../src/work/work.module.js';
import { RegistryModule } from '../../src/registry/registry.module.js';
import { Registry } from '../../src/registry/registry.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';

let sandbox: SandboxRegistry;
beforeAll(async () => {
  sandbox = await startSandboxRegistry({ port: 0, names: new Map([['picked-by-hand.com.au', 'reserved']]) });
});
afterAll(() => sandbox.close());

const ask = async (domain: string, limitMs = 10_000) => {
  const result = await new RdapLookup('sandbox', () => sandbox.url, limitMs).ask(
    parseDomainName(domain),
    new Date(),
  );
  return result.answered ? result.state : result.reason;
};

const OUTCOMES: Record<SandboxAnswer, string> = {
  available: 'available',
  registered: 'registered',
  redemption: 'expired_hold',
  pending_purge: 'pending_purge',
  pending_delete: 'pending_delete',
  reserved: 'reserved',
  declined: 'declined',
  rate_limited: 'rate_limited',
  limit_notice: 'rate_limited',
  forbidden: 'refused',
  server_error: 'failing',
  slow: 'timeout',
  silent: 'timeout',
  html: 'not_understood',
  garbage: 'not_understood',
  cut_off: 'unreachable',
  oversized: 'too_large',
  other_name: 'not_understood',
  redirect: 'not_understood',
  empty_404: 'not_understood',
  html_404: 'not_understood',
  reset: 'unreachable',
};

describe('the sandbox registry', () => {
  it.each(SANDBOX_LABELS)('answers $label: $meaning', async ({ label, answer }) => {
    const outcome = OUTCOMES[answer];
    expect(await ask(`${label}.com.au`, outcome === 'timeout' ? 300 : undefined)).toBe(outcome);
  });

  it('has a label for each way of answering, valid under every suffix', () => {
    expect(SANDBOX_LABELS.map(({ answer }) => answer).sort()).toEqual(Object.keys(OUTCOMES).sort());
    for (const { label } of SANDBOX_LABELS) {
      for (const suffix of SUFFIXES) {
        expect(judgeDomainName(`${label}.${suffix}`)).toMatchObject({ ok: true, domain: { reserved: null } });
      }
    }
  });

  it('knows what everybody knows, and what it was told', async () => {
    expect(await ask('google.com.au')).toBe('registered');
    expect(await ask('auda.org.au')).toBe('registered');
    expect(await ask('picked-by-hand.com.au')).toBe('reserved');
  });

  it('takes a few names and always the same', () => {
    const names = Array.from({ length: 24_000 }, (_, number) => `some-name-${number}.net.au`);
    const answers = names.map(sandboxAnswerOf);
    expect(names.map(sandboxAnswerOf)).toEqual(answers);
    const shareOf = (kind: SandboxAnswer) =>
      answers.filter((answer) => answer === kind).length / names.length;
    expect(shareOf('registered')).toBeCloseTo(1 / 12, 2);
    expect(shareOf('pending_delete')).toBeCloseTo(1 / 40, 2);
    expect(shareOf('redemption')).toBeCloseTo(1 / 60, 2);
    expect(shareOf('reserved')).toBeCloseTo(1 / 80, 2);
    expect(shareOf('available')).toBeGreaterThan(0.8);
  });

  it('answers in the shape of .au RDAP, with a registrant that is made up', async () => {
    const response = await fetch(`${sandbox.url}domain/Google.COM.AU`);
    expect(response.headers.get('content-type')).toBe('application/rdap+json');
    const body = (await response.json()) as Record<string, unknown> & { events: { eventAction: string }[] };
    expect(body).toMatchObject({
      objectClassName: 'domain',
      ldhName: 'google.com.au',
      status: expect.any(Array),
    });
    expect(body.events.map((event) => event.eventAction)).toEqual([
      'last changed',
      'last update of RDAP database',
    ]);
    expect(body.redacted).toHaveLength(2);
    expect(JSON.stringify(body.auData_eligibility)).toMatch(/Madeup/);
  });

  it.each([
    '',
    'domain/',
    'domain/google.com',
    'nameserver/ns1.com.au',
    'domain/a.com.au/b',
    'domain/%2e%2e.au',
  ])('calls /%s a bad request, never "not found"', async (path) => {
    expect((await fetch(sandbox.url + path)).status).toBe(400);
  });

  it('says when its port is taken', async () => {
    await expect(startSandboxRegistry({ port: sandbox.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('closes at once, even while somebody waits for an answer', async () => {
    const other = await startSandboxRegistry({ port: 0 });
    const waiting = fetch(`${other.url}domain/sandbox-silent.com.au`).catch(() => 'hung up');
    while (other.requests() === 0) await new Promise(setImmediate);
    await other.close();
    expect(await waiting).toBe('hung up');
  });
});

describe('RegistryModule', () => {
  it('looks names up in the sandbox through the ordinary client', async () => {
    const databaseUrl = await cloneTemplate();
    const config = readConfig({
      DATABASE_URL: databaseUrl,
      REGISTRY_RDAP_URL: sandbox.url,
      REGISTRY_SOURCE: 'sandbox',
    });
    const module = await Test.createTestingModule({
      imports: [
        ConfigModule.with(config),
        DatabaseModule,
        ReplicasModule,
        ScheduleModule.forRoot(),
        WorkModule,
        RegistryModule,
      ],
    }).compile();
    await module.init();

    const answer = await module.get(Registry).lookUp(parseDomainName('sandbox-pending-delete.au'));
    expect(answer).toMatchObject({ state: 'pending_delete', source: 'sandbox', cached: false });

    await module.close();
    dropDatabase(databaseUrl);
  });
});
