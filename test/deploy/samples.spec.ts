import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const DEPLOY = resolve(__dirname, '../../deploy');
const has = (program: string) => spawnSync(program, ['--version']).error === undefined;
/** Runs where the program is installed; what it says is the reason of a failure. */
const where = (program: string) => (has(program) ? it : it.skip);
const check = (program: string, ...parameters: string[]) => {
  const { status, stdout, stderr } = spawnSync(program, parameters, { encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
};

describe('the samples of deploy/', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'deploy-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  where('nginx')('nginx reads nginx.conf', () => {
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
        ...['-subj', '/CN=bowerbird.example', '-keyout', join(folder, 'privkey.pem')],
        ...['-out', join(folder, 'fullchain.pem')],
      ],
      { stdio: 'ignore' },
    );
    const site = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8').replaceAll('/etc/ssl/bowerbird', folder);
    writeFileSync(join(folder, 'site.conf'), site);
    writeFileSync(
      join(folder, 'nginx.conf'),
      `pid ${folder}/pid; error_log stderr; events {} http { access_log off; include ${folder}/site.conf; }`,
    );
    expect(check('nginx', '-t', '-c', join(folder, 'nginx.conf'))).toMatchObject({
      status: 0,
      said: expect.stringContaining('test is successful'),
    });
  });

  where('haproxy')('HAProxy reads haproxy.cfg', () => {
    const places = ['LISTEN', 'INSTANCE_1', 'INSTANCE_2', 'INSTANCE_3'];
    const addresses = Object.fromEntries(places.map((name, place) => [name, `127.0.0.1:${9_000 + place}`]));
    const env = { ...process.env, ...addresses };
    const parameters = ['-c', '-f', join(DEPLOY, 'haproxy.cfg')];
    const { status, stdout, stderr } = spawnSync('haproxy', parameters, { encoding: 'utf8', env });
    expect({ status, faults: `${stdout}${stderr}`.match(/\[(?:ALERT|WARNING)\].*/g) }).toEqual({
      status: 0,
      faults: null,
    });
  });

  where('caddy')('Caddy reads Caddyfile', () => {
    expect(
      check('caddy', 'validate', '--adapter', 'caddyfile', '--config', join(DEPLOY, 'Caddyfile')),
    ).toMatchObject({ status: 0, said: expect.stringContaining('Valid configuration') });
  });

  where('systemd-analyze')('systemd reads bowerbird.service', () => {
    // What it starts, and who runs it, are here what is there.
    const unit = readFileSync(join(DEPLOY, 'systemd/bowerbird.service'), 'utf8')
      .replaceAll('/usr/bin/node', process.execPath)
      .replace('/etc/bowerbird/env', '-/etc/bowerbird/env');
    mkdirSync(join(folder, 'units'));
    writeFileSync(join(folder, 'units/bowerbird.service'), unit);
    const { said } = check('systemd-analyze', 'verify', '--man=no', join(folder, 'units/bowerbird.service'));
    expect(said.split('\n').filter((line) => /bowerbird\.service/.test(line))).toEqual([]);
  });
});
