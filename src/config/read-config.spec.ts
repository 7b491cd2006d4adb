import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { VERSION } from './product.js';
import { ConfigError, readConfig, withSecretFiles } from './read-config.js';

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
      HOST: 'bad host',
      AUTH: 'maybe',
      DATABASE_URL: 'mysql://x',
      TRUST_PROXY: 'yes',
      REGISTER_URL_TEMPLATE: 'https://example.com/',
      TIERS: '{"demo":5}',
    };
    const problems = problemsOf(broken);
    for (const name of Object.keys(broken)) expect(problems.join('\n')).toContain(name);
    expect(problems).toHaveLength(7);
  });

  it.each([
    ['PORT', 'x', 'must be an integer from 0 to 65535'],
    ['PORT', '3000.5', 'must be an integer from 0 to 65535'],
    ['PORT', '0x50', 'must be an integer from 0 to 65535'],
    ['PORT', '1e3', 'must be an integer from 0 to 65535'],
    ['PORT', '65536', 'must be an integer from 0 to 65535'],
    ['REGISTRY_RATE_PER_SECOND', 'fast', 'must be a number from 0.001 to 1000'],
    ['REGISTRY_CANARIES', 'google.com', 'must be off or a comma-separated list, each item a .au name'],
    ['REGISTRY_RATE_PER_SECOND', '1e0', 'must be a number from 0.001 to 1000'],
    ['HOST', 'bad host', 'must be an IP address or a host name'],
    ['HOST', '[::1]', 'must be an IP address or a host name'],
    ['HOST', '999.1.1.1', 'must be an IP address or a host name'],
    ['HOST', 'a/b', 'must be an IP address or a host name'],
    [
      'REGISTRY_AVAILABILITY_SERVICE',
      '127.0.0.1:99999',
      'must be off or host:port, with a port from 1 to 65535',
    ],
    ['REGISTRY_AVAILABILITY_SERVICE', 'host:0', 'must be off or host:port, with a port from 1 to 65535'],
    ['REGISTRY_AVAILABILITY_SERVICE', 'host', 'must be off or host:port, with a port from 1 to 65535'],
  ])('tells the rule that %s=%s breaks', (name, value, rule) => {
    expect(problemsOf({ [name]: value })).toEqual([`${name} ${rule}, not ${JSON.stringify(value)}`]);
  });

  it.each(['{"gold":{}}', '{"demo":{"pageSize":0}}'])('names TIERS=%s beside other problems', (value) => {
    expect(problemsOf({ LOG_LEVEL: 'INFO', TIERS: value })).toEqual([
      expect.stringMatching(/^TIERS/),
      expect.stringMatching(/^LOG_LEVEL /),
    ]);
  });

  it.each([
    ['BASE_URL', 'http://xn--a.com'],
    ['REGISTRY_RDAP_URL', 'https://xn--a.com/rdap/'],
    ['REGISTRY_BOOTSTRAP_URL', 'https://xn--a.com'],
  ])('refuses %s=%s, whose host is no host name', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} must be `))]);
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:3000'],
    ['::', 'http://localhost:3000'],
    ['::1', 'http://[::1]:3000'],
    ['fe80::1%eth0', 'http://[fe80::1]:3000'],
    ['Names.example', 'http://Names.example:3000'],
    ['my_container', 'http://my_container:3000'],
  ])('HOST=%s is reached at %s', (host, address) => {
    expect(readConfig({ HOST: host }).links.baseUrl).toBe(address);
  });

  it.each(['REGISTRY_RDAP_URL', 'BASE_URL', 'REGISTRY_BOOTSTRAP_URL'])(
    'refuses a user and a password in %s, and does not repeat them',
    (name) => {
      const problems = problemsOf({ [name]: 'https://me:hush@example.com/' });
      expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} must be .*URL without user`))]);
      expect(problems.join()).not.toContain('hush');
    },
  );

  it.each([
    [{}, 'https://web.archive.org/web'],
    [{ ARCHIVE_PAGES_URL: 'off' }, undefined],
    [{ ARCHIVE_CDX_URL: 'off' }, undefined],
    [{ ARCHIVE_CDX_URL: 'http://mirror.example/cdx' }, undefined],
    [
      { ARCHIVE_CDX_URL: 'http://mirror.example/cdx', ARCHIVE_PAGES_URL: 'http://mirror.example/web' },
      'http://mirror.example/web',
    ],
  ])('reads former sites with %j from %s', (env, pagesUrl) => {
    expect(readConfig(env).archive.pagesUrl).toBe(pagesUrl);
  });

  it.each(['', 'off'])('asks no canaries with REGISTRY_CANARIES=%s', (text) => {
    expect(readConfig({}).registry.canaries).toEqual(['google.com.au', 'auda.org.au']);
    expect(readConfig({ REGISTRY_CANARIES: text }).registry.canaries).toEqual([]);
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

  it.each(['abc', '999.1.1.1/8', '10.0.0.0/33', '10.0.0.1,', '1.2', '100', ':', '64:ff9b::1.2.3.4'])(
    'refuses TRUST_PROXY=%s, which names no proxy',
    (value) => {
      expect(problemsOf({ TRUST_PROXY: value })).toEqual([expect.stringMatching(/^TRUST_PROXY /)]);
    },
  );

  it.each(['0.0.0.0/0', '127.0.0.1, ::/0', '10.0.0.0/00'])(
    'refuses TRUST_PROXY=%s, which would believe everybody, and says what to set instead',
    (value) => {
      expect(problemsOf({ TRUST_PROXY: value })).toEqual([
        expect.stringMatching(/^TRUST_PROXY .*number of proxies/),
      ]);
    },
  );

  it.each(['BASE_URL', 'REGISTRY_RDAP_URL'])('refuses a %s that no path can be appended to', (name) => {
    expect(problemsOf({ [name]: 'https://example.com/?page=1' }).join()).toContain(name);
    expect(problemsOf({ [name]: 'https://example.com/#top' }).join()).toContain(name);
  });

  it('refuses webhooks without accounts', () => {
    expect(problemsOf({ WEBHOOKS: 'on' })).toEqual([
      'WEBHOOKS=on needs AUTH=on',
      expect.stringMatching(/^WEBHOOKS=on needs WEBHOOK_SECRET_KEY; `openssl/),
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

describe('withSecretFiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secret-files-'));
  const file = join(folder, 'database_url');
  beforeAll(() => writeFileSync(file, 'postgres://ada:s3cret@database/bowerbird\n'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('reads a secret from its file, without the line ending', () => {
    expect(withSecretFiles({ DATABASE_URL_FILE: file }).DATABASE_URL).toBe(
      'postgres://ada:s3cret@database/bowerbird',
    );
  });

  it('leaves what is given as it is', () => {
    expect(withSecretFiles({ AUTH_SECRET: 'given', PORT: '3000' })).toEqual({
      AUTH_SECRET: 'given',
      PORT: '3000',
    });
  });

  it('refuses a secret that is given twice, without repeating it', () => {
    const twice = () => withSecretFiles({ DATABASE_URL: 'postgres://b:hidden@c/d', DATABASE_URL_FILE: file });
    expect(twice).toThrow('DATABASE_URL and DATABASE_URL_FILE exclude each other');
    expect(twice).not.toThrow(/hidden|s3cret/);
  });

  it('names the variable whose file is not there', () => {
    expect(() => withSecretFiles({ SMTP_URL_FILE: join(folder, 'none') })).toThrow(
      /SMTP_URL_FILE cannot be read \(.*ENOENT/,
    );
  });

  it('reads no other variable from a file', () => {
    expect(withSecretFiles({ PORT_FILE: file })).toEqual({ PORT_FILE: file });
  });
});

it('has the version of package.json', () => {
  const text = readFileSync(resolve(__dirname, '../../package.json'), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ version: VERSION });
});
