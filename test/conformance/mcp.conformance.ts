import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { McpServers } from '../../src/mcp/mcp-server.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { ConformanceFixtures } from './fixtures.js';

// The suite needs a newer Node than we promise to run on, so it brings its own.
const NPX = ['-y', '-p', 'node@24.21.0', '-p', '@modelcontextprotocol/conformance@0.2.0-alpha.12'];
const SUITE_TIMEOUT_MS = 300_000;
// Hundreds of calls from one address; the limits have tests of their own.
const TIERS = JSON.stringify({ demo: { requestsPerMinute: 1_000_000, recordsPerMinute: 1_000_000 } });

describe('the official MCP conformance suite', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ TIERS });
    test.app.get(McpServers).add(new ConformanceFixtures());
  });
  afterAll(() => test.close());

  it.each(['2026-07-28', '2025-11-25'])(
    'is passed for revision %s, but for the explained entries of its expected-failures file',
    async (revision) => {
      const expected = resolve(__dirname, `expected-failures.${revision}.yml`);
      const { code, output } = await run([
        ...['conformance', 'server', '--url', `${test.url}/mcp`],
        ...['--requirements', revision, '--expected-failures', expected],
      ]);
      process.stdout.write(output);
      // 1 for a failure that is not expected, and for an expected one that did not happen.
      expect(code).toBe(0);
    },
    SUITE_TIMEOUT_MS,
  );
});

function run(command: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((done, fail) => {
    const suite = spawn('npx', [...NPX, ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    suite.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    suite.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    suite.on('error', fail);
    suite.on('close', (code) => done({ code, output }));
  });
}
