import { createServer, type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { CdxClient } from '../../src/archive/cdx-client.js';
import { MAX_CDX_ROWS, readCdxAnswer } from '../../src/archive/cdx-answer.js';
import { scoreCaptures } from '../../src/archive/archive-score.js';
import {
  type ArchiveBehaviour,
  type SandboxArchive,
  SANDBOX_RETRY_AFTER_SECONDS,
  startSandboxArchive,
  capturesOf,
} from '../../src/demo/sandbox-archive.js';
import { readSampleScores } from '../../src/demo/sandbox-names.js';

const NOW = new Date('2026-11-20T12:00:00Z');
let archive: SandboxArchive;
beforeAll(async () => {
  archive = await startSandboxArchive({ port: 0 });
});
afterAll(() => archive.close());

function ask(
  domain: string,
  { cdxUrl = archive.url, timeoutMs = 5_000, signal = new AbortController().signal } = {},
) {
  return new CdxClient({ cdxUrl, timeoutMs, contactUrl: 'https://bowerbird.example' }).ask(
    domain,
    NOW,
    signal,
  );
}

async function askOne(behaviour: ArchiveBehaviour, timeoutMs?: number) {
  const domain = `${behaviour.replaceAll('_', '-')}.com.au`;
  archive.behave(behaviour, domain);
  return ask(domain, { timeoutMs });
}

/** A name with captures, and one without. */
const MANY = 'sandbox-archive-1.com.au';

describe('CdxClient', () => {
  it('asks once, for one row a day without errors, and says who asks', async () => {
    const before = archive.asked.length;
    await ask(MANY);
    expect(archive.asked.slice(before)).toEqual([
      {
        domain: MANY,
        userAgent: expect.stringMatching(/^bowerbird\/\d+\.\d+\.\d+ \(\+https:\/\/bowerbird\.example\)$/),
        query: {
          url: MANY,
          output: 'json',
          fl: 'timestamp,statuscode',
          collapse: 'timestamp:8',
          filter: '!statuscode:[45]..',
          limit: String(MAX_CDX_ROWS + 1),
        },
      },
    ]);
  });

  it('keeps the parameters that the address has of its own', async () => {
    await ask(MANY, { cdxUrl: `${archive.url}?collection=au` });
    expect(archive.asked[archive.asked.length - 1]?.query).toMatchObject({ collection: 'au', url: MANY });
  });

  it('reads the captures', async () => {
    const answer = await ask(MANY);
    const rows = capturesOf(MANY);
    expect(rows.length).toBeGreaterThan(1);
    expect(answer).toMatchObject({ answered: true, ignored: 0 });
    if (answer.answered) expect(scoreCaptures(answer.captures).wayback).toBe(rows.length);
  });

  it.each<ArchiveBehaviour>(['nothing', 'header_only'])('%s: there are none', async (behaviour) => {
    expect(await askOne(behaviour)).toEqual({ answered: true, captures: [], ignored: 0 });
  });

  it('reads text as well', async () => {
    expect(await askOne('text')).toMatchObject({ answered: true });
  });

  it.each<[ArchiveBehaviour, string, number | undefined]>([
    ['empty', 'empty', undefined],
    ['rate_limited', 'rate_limited', SANDBOX_RETRY_AFTER_SECONDS],
    ['rate_limited_for_an_unknown_time', 'rate_limited', undefined],
    ['busy', 'rate_limited', SANDBOX_RETRY_AFTER_SECONDS],
    ['forbidden', 'refused', undefined],
    ['excluded', 'excluded', undefined],
    ['server_error', 'failing', undefined],
    ['redirect', 'failing', undefined],
    ['cut_off', 'cut_off', undefined],
    ['cut_off_list', 'cut_off', undefined],
    ['damaged_gzip', 'cut_off', undefined],
    ['html', 'not_understood', undefined],
    ['huge', 'too_large', undefined],
    ['reset', 'unreachable', undefined],
  ])('%s is no answer: %s', async (behaviour, reason, retryAfterSeconds) => {
    const answer = await askOne(behaviour);
    expect(answer).toMatchObject({ answered: false, reason });
    expect(answer.answered ? null : answer.retryAfterSeconds).toBe(retryAfterSeconds);
  });

  it.each<ArchiveBehaviour>(['hang', 'trickle'])('waits no longer than it may: %s', async (behaviour) => {
    expect(await askOne(behaviour, 100)).toMatchObject({ answered: false, reason: 'timeout' });
  });

  it('ends when it is told to', async () => {
    const stop = new AbortController();
    archive.behave('hang', 'stopped.com.au');
    const asking = ask('stopped.com.au', { signal: stop.signal });
    stop.abort();
    expect(await asking).toMatchObject({ answered: false });
  });

  it('calls a port that nobody listens on unreachable', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await ask(MANY, { cdxUrl: `http://127.0.0.1:${port}/` })).toMatchObject({
      answered: false,
      reason: 'unreachable',
      detail: 'ECONNREFUSED',
    });
  });
});

describe('the sandbox archive', () => {
  it('has captures of three names in four, always the same, one a day', () => {
    const names = Array.from({ length: 800 }, (_, number) => `name-${number}.com.au`);
    const captured = names.filter((name) => capturesOf(name).length > 0);
    expect(captured.length / names.length).toBeCloseTo(0.75, 1);
    for (const name of captured.slice(0, 100)) {
      const days = capturesOf(name).map(([timestamp]) => timestamp.slice(0, 8));
      expect(days).toEqual([...new Set(days)].sort());
      expect(capturesOf(name)).toEqual(capturesOf(name));
    }
  });

  it('has the sample names captured on as many days as their scores say, so that scoring them changes nothing', async () => {
    const scores = await readSampleScores(resolve(__dirname, '../../src/demo/sample-names.csv'));
    expect(scores.size).toBeGreaterThan(1_000);
    const largest = [...scores].sort(([, one], [, other]) => other - one).slice(0, 3);
    for (const [domain, wayback] of [...largest, ...[...scores].slice(0, 200)]) {
      const answer = readCdxAnswer(JSON.stringify(capturesOf(domain, wayback)), NOW);
      expect('captures' in answer && scoreCaptures(answer.captures).wayback).toBe(wayback);
    }
  });
});
