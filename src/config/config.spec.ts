import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError, readConfig } from './config.js';

describe('readConfig', () => {
  it('needs nothing: every variable has a default', () => {
    const config = readConfig({});
    expect(config.http).toMatchObject({ port: 3000, host: '0.0.0.0', trustProxy: false });
    expect(config.links.baseUrl).toBe('http://localhost:3000');
    expect(config.registry.rdapUrl).toBe('https://rdap.cctld.au/rdap/');
    expect(config.auth.enabled).toBe(false);
  });

  it('names every problem at once', () => {
    const broken = {
      PORT: '99999',
      AUTH: 'maybe',
      DATABASE_URL: 'mysql://x',
      TRUST_PROXY: 'yes',
      REGISTER_URL_TEMPLATE: 'https://example.com/',
      TIERS: '{"demo":5}',
    };
    const problems = problemsOf(broken);
    for (const name of Object.keys(broken)) expect(problems.join('\n')).toContain(name);
    expect(problems).toHaveLength(6);
  });

  it('treats an empty variable as one that is not set', () => {
    expect(readConfig({ PORT: '', BASE_URL: '' })).toEqual(readConfig({}));
  });

  it.each([
    ['off', false],
    ['1', 1],
    ['10.0.0.0/8, 127.0.0.1', ['10.0.0.0/8', '127.0.0.1']],
    ['::1,fd00::/8', ['::1', 'fd00::/8']],
  ])('TRUST_PROXY=%s is read as %p', (value, expected) => {
    expect(readConfig({ TRUST_PROXY: value }).http.trustProxy).toEqual(expected);
  });

  it.each(['abc', '999.1.1.1/8', '10.0.0.0/33', '10.0.0.1,', '1.2', '100', ':'])(
    'refuses TRUST_PROXY=%s, which names no proxy',
    (value) => {
      expect(problemsOf({ TRUST_PROXY: value })).toEqual([expect.stringMatching(/^TRUST_PROXY /)]);
    },
  );

  it.each(['BASE_URL', 'REGISTRY_RDAP_URL'])('refuses a %s that no path can be appended to', (name) => {
    expect(problemsOf({ [name]: 'https://example.com/?page=1' }).join()).toContain(name);
    expect(problemsOf({ [name]: 'https://example.com/#top' }).join()).toContain(name);
  });

  it('refuses webhooks without accounts', () => {
    expect(problemsOf({ WEBHOOKS: 'on' })).toEqual([
      'WEBHOOKS=on needs AUTH=on',
      'WEBHOOKS=on needs WEBHOOK_SECRET_KEY',
    ]);
  });

  it('refuses accounts without a secret to sign sessions with', () => {
    expect(problemsOf({ AUTH: 'on' }).join()).toContain('AUTH_SECRET');
    expect(readConfig({ AUTH: 'on', AUTH_SECRET: 'x'.repeat(32) }).auth.enabled).toBe(true);
  });

  it.each([
    ['DATABASE_URL', 'postgre://user:hunter2@host/db'],
    ['SMTP_URL', 'http://user:hunter2@host'],
    ['AUTH_SECRET', 'hunter2'],
  ])('shows no secret of one that is wrong: %s=%s', (name, value) => {
    const problems = problemsOf({ [name]: value }).join();
    expect(problems).toContain(name);
    expect(problems).not.toContain('hunter2');
  });

  it('hands out values that nobody can change', () => {
    const config = readConfig({});
    expect(() => Object.assign(config.http, { port: 1 })).toThrow(TypeError);
  });

  it('is described by .env.example: the same variables, the same defaults', () => {
    const text = readFileSync(resolve(__dirname, '../../.env.example'), 'utf8');
    const lines = [...text.matchAll(/^(#?)([A-Z_]+)=(.*)$/gm)];
    const env = readFileSync(resolve(__dirname, 'env.ts'), 'utf8');
    const fields = [...env.matchAll(/^ {2}([A-Z_]+)\??[:;= ]/gm)].map(([, name]) => name);
    expect(lines.map(([, , name]) => name)).toEqual(fields);
    const written = Object.fromEntries(
      lines.filter(([, hash]) => !hash).map(([, , name, value]) => [name, value]),
    );
    expect(readConfig(written)).toEqual(readConfig({}));
  });
});

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
