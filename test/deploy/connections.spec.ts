import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { LIMITS, type Share, timesOf } from '../../src/access/limits.js';
import { freePort, makeFolder, ROOT, until } from '../support/processes.js';

const sample = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8');
const most = (share: Share) => timesOf('connections', share) * LIMITS.connections.most;
const where = (program: string) =>
  spawnSync(program, ['-v']).error === undefined ? describe : describe.skip;

let folder: string;
let child: ChildProcess;
let port: number;
const sockets: Socket[] = [];
beforeAll(async () => {
  folder = await makeFolder('connections');
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  port = await freePort();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
});

/** Connections that send nothing, or only the header by which a proxy names the caller. @returns those that were closed */
async function openIdle(places: readonly { localAddress?: string; header?: string }[]): Promise<Set<Socket>> {
  const closed = new Set<Socket>();
  for (const { localAddress = '127.0.0.1', header } of places) {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined).once('close', () => closed.add(socket));
    socket.resume();
    // One too many may be reset before it is open.
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    if (header !== undefined) socket.write(header);
  }
  return closed;
}

/** Waits for as many to be closed, and for an answer after them. */
async function untilClosed(
  closed: Set<Socket>,
  count: number,
  answers: () => Promise<unknown>,
): Promise<void> {
  await until(`${count} connections are closed`, () => closed.size >= count);
  await answers();
  expect(closed.size).toBe(count);
}

const headerOf = (address: string) =>
  `PROXY ${address.includes(':') ? 'TCP6' : 'TCP4'} ${address} ${address} 4000 80\r\n`;
const times = <Item>(count: number, item: (place: number) => Item) =>
  Array.from({ length: count }, (_, place) => item(place));

where('haproxy')('haproxy.cfg', () => {
  const start = async (config: string) => {
    await writeFile(join(folder, 'haproxy.cfg'), config);
    const away = '127.0.0.1:9';
    child = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], {
      env: {
        ...{ PATH: process.env.PATH, LISTEN: `127.0.0.1:${port}` },
        ...{ INSTANCE_1: away, INSTANCE_2: away, INSTANCE_3: away },
      },
      stdio: 'ignore',
    });
  };
  const answers = (header: string, localAddress = '127.0.0.1') =>
    until('HAProxy answers', async () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket
        .on('error', () => undefined)
        .write(`${header}GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`);
      const answer = await new Promise<string>((resolve) => {
        socket.once('data', (data) => resolve(data.toString())).once('close', () => resolve(''));
      });
      socket.destroy();
      return answer.startsWith('HTTP/1.1 503');
    });

  it('closes further idle connections of an address, and of a /24', async () => {
    await start(sample('haproxy.cfg'));
    await answers('', '127.7.0.1');
    const one = await openIdle(times(most(1) + 3, () => ({ localAddress: '127.0.1.1' })));
    await untilClosed(one, 3, () => answers('', '127.0.1.2'));
    const many = await openIdle(
      times(most(16) + 5, (place) => ({ localAddress: `127.0.2.${1 + (place >> 5)}` })),
    );
    await untilClosed(many, 5, () => answers('', '127.7.0.1'));
  });

  it('closes further ones of a /64, a /56 and a /48', async () => {
    // Addresses from a header are known to the session only.
    const config = sample('haproxy.cfg').replaceAll('tcp-request connection', 'tcp-request session');
    await start(config.replace('bind "$LISTEN"', 'bind "$LISTEN" accept-proxy'));
    const other = () => answers(headerOf('2001:db8:ffff::1'));
    await other();
    const from = (address: string) => ({ header: headerOf(address) });
    const one = await openIdle(times(most(1) + 2, (place) => from(`2001:db8:1:1::${place + 1}`)));
    await untilClosed(one, 2, other);
    const wide = times(most(4) + 2, (place) => from(`2001:db8:2:1${(place % 8).toString(16)}::${place + 1}`));
    await untilClosed(await openIdle(wide), 2, other);
    const wider = times(most(16) + 2, (place) => from(`2001:db8:3:${((place % 32) * 256).toString(16)}::1`));
    await untilClosed(await openIdle(wider), 2, other);
  });
});

where('nginx')('nginx.conf', () => {
  const start = async (events = '') => {
    const site = sample('nginx.conf')
      .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port} proxy_protocol;`)
      .replace(/server \{\s+listen 80;[^}]*\}/, '')
      .replace(/^ *ssl_certificate.*$/gm, '')
      .replace(
        '    location / {',
        '    location = /key { return 200 "$caller $network"; }\n    location / {',
      );
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const callers = 'set_real_ip_from 127.0.0.1; real_ip_header proxy_protocol;';
    await writeFile(
      join(folder, 'nginx.conf'),
      `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log; events { ${events} }
       http { access_log off; ${folders.join(' ')} ${callers} ${site} }`,
    );
    child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  };
  const keyOf = (address: string) =>
    until('nginx answers', async () => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      const asked = request({
        path: '/key',
        createConnection: () => socket,
        headers: { Connection: 'close' },
      });
      socket.write(headerOf(address));
      const answer = new Promise<string | null>((resolve) => {
        asked
          .on('error', () => resolve(null))
          .on('response', (response) => {
            let body = '';
            response.on('data', (part: Buffer) => (body += part.toString())).on('end', () => resolve(body));
          });
      });
      asked.end();
      return answer;
    });

  it('counts the connections of a /64, and of a /48 or /24, however the address is written', async () => {
    await start();
    for (const [address, key] of [
      ['203.0.113.7', '203.0.113.7 203.0.113'],
      ['2001:db8:7:1ff:a:b:c:d', '2001:db8:7:1ff: 2001:db8:7:'],
      ['2001:db8:7:1ff::9', '2001:db8:7:1ff: 2001:db8:7:'],
      ['2001:db8:7:0:1::9', '2001:db8:7:0: 2001:db8:7:'],
      ['2001:db8:7::9', '2001:db8:7:0: 2001:db8:7:'],
      ['2001:db8:0:5:1::9', '2001:db8:0:5: 2001:db8:0:'],
      ['2001:db8::9', '2001:db8:0:0: 2001:db8:0:'],
      ['2001::9', '2001:0:0:0: 2001:0:0:'],
    ] as const)
      expect([address, await keyOf(address)]).toEqual([address, key]);
    expect(sample('nginx.conf')).toContain(
      `limit_conn callers ${most(1)};\n    limit_conn networks ${most(16)};`,
    );
  });

  it('answers others while one address opens more idle connections than there is room for', async () => {
    await start('worker_connections 64;');
    await keyOf('203.0.113.1');
    await openIdle(times(200, () => ({})));
    expect(await keyOf('203.0.113.1')).toBe('203.0.113.1 203.0.113');
  });
});
