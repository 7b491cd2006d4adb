import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { until } from '../support/processes.js';
import { ask } from './http.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MAIN = `${ROOT}dist/main.js`;
const CLI = `${ROOT}dist/cli.js`;
const STOP_LIMIT_MS = 20_000;

/** Something that runs, can be killed, and comes back at the same address. */
export interface Part {
  readonly name: string;
  start(): Promise<void>;
  /** @returns when it is gone */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** @param says whether what it writes to standard error is of interest; `ready` tells when it can be used */
export function programPart(
  name: string,
  command: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
  ready: () => Promise<boolean>,
  says = false,
): Part {
  let child: ChildProcess | undefined;
  return {
    name,
    async start() {
      const [program, ...parameters] = command;
      const started = (child = spawn(program, parameters, {
        env: { PATH: process.env.PATH, ...environment },
        stdio: ['ignore', 'ignore', says ? 'inherit' : 'ignore'],
      }));
      const ended = once(started, 'exit').then(([code]) => {
        throw new Error(`${name} ended with ${String(code)}`);
      });
      ended.catch(() => undefined);
      await Promise.race([until(`${name} is ready`, ready), ended]);
    },
    async kill(signal) {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill(signal);
      const limit = setTimeout(() => child?.kill('SIGKILL'), STOP_LIMIT_MS);
      await gone;
      clearTimeout(limit);
    },
  };
}

/** The compiled service on a port of its own. */
export function instancePart(
  name: string,
  port: number,
  environment: Readonly<Record<string, string>>,
): Part & { readonly url: URL } {
  const url = new URL(`http://127.0.0.1:${port}`);
  const isReady = () =>
    ask(url, { path: '/readyz' }).then(
      ({ status }) => status === 200,
      () => false,
    );
  const part = programPart(
    name,
    [process.execPath, MAIN],
    { ...environment, PORT: String(port), HOST: '127.0.0.1' },
    isReady,
    true,
  );
  return { ...part, url };
}

export function redisPart(server: string, port: number): Part {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  return programPart('Redis', [server, ...options, '--loglevel', 'warning'], {}, () => accepts(port));
}

export function balancerPart(haproxy: string, port: number, instances: readonly URL[]): Part {
  const addresses = instances.map(({ host }, index) => [`INSTANCE_${index + 1}`, host]);
  return programPart(
    'balancer',
    [haproxy, '-db', '-f', `${ROOT}deploy/haproxy.cfg`],
    { LISTEN: `127.0.0.1:${port}`, ...(Object.fromEntries(addresses) as Record<string, string>) },
    () => accepts(port),
  );
}

/** Runs the operators' command line to its end. @throws when it fails */
export async function runCommand(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const child = spawn(process.execPath, [CLI, ...parameters], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`bowerbird ${parameters.join(' ')} ended with ${String(code)}`);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}
