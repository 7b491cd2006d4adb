import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { BoundedRedis } from '../../src/redis/bounded-redis.js';
import { RedisConnection } from '../../src/redis/redis.module.js';
import { freePort, makeFolder, until } from './processes.js';

const SERVER = process.env.REDIS_SERVER ?? '/usr/bin/redis-server';
const IS_THERE = existsSync(SERVER);

/** For tests that need a Redis of their own. Where there is none they count as skipped, and their name says why. */
export function describeWithRedis(name: string, tests: () => void): void {
  if (IS_THERE) describe(name, tests);
  else describe.skip(`${name} (skipped: there is no ${SERVER}; REDIS_SERVER names another)`, tests);
}

/** A Redis on loopback that forgets everything when it is killed. */
export interface TestRedis {
  readonly url: string;
  /** As a machine dies. @returns once it is gone */
  kill(): Promise<void>;
  /** It goes on taking connections, and answers nothing. */
  hang(): void;
  goOn(): void;
  /** Starts it again, empty. @returns once it answers */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startRedis(...settings: string[]): Promise<TestRedis> {
  const port = await freePort();
  const folder = await makeFolder('redis');
  let server: ChildProcess | undefined;
  const redis: TestRedis = {
    url: `redis://127.0.0.1:${port}`,
    async kill() {
      if (!server || server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    },
    hang: () => void server?.kill('SIGSTOP'),
    goOn: () => void server?.kill('SIGCONT'),
    async start() {
      const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
      server = spawn(SERVER, [...place, '--save', '', '--appendonly', 'no', ...settings], {
        stdio: 'ignore',
      });
      await until('Redis answers', () => tell(port, 'PING', '+PONG'));
    },
    close: () => redis.kill(),
  };
  await redis.start();
  return redis;
}

/** As an instance of the service has it. */
export async function connectRedis({ url }: TestRedis): Promise<RedisConnection> {
  const connection = new RedisConnection(url, BoundedRedis);
  await connection.open();
  return connection;
}

/** Whether a command gets this answer. */
async function tell(port: number, command: string, answer: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    socket.once('data', (data) => done(data.toString().startsWith(answer)));
    socket.once('error', () => done(false));
    socket.once('data', () => socket.destroy());
  });
}
