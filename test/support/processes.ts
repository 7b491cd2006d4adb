import { transformFile } from '@swc/core';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const START_LIMIT_MS = 180_000;
/** What the service reads that is no code. */
const READ_BESIDE_SOURCES = ['assets', 'docs', 'CHANGELOG.md'];
const SOURCES = ['src', 'migrations', 'test/support'];

/** A folder that every user may enter and that goes away with the test run. */
export async function makeFolder(name: string): Promise<string> {
  return mkdtemp(join(process.env.TEST_DATA_DIR ?? tmpdir(), `${name}-`));
}

let compiled: Promise<string> | undefined;

/**
 * The sources as they are now, compiled and bundled as `npm run build` does it, once for all workers of a run, for
 * tests that need processes of their own to kill. The programs are dist/main.js, dist/cli.js and their like.
 * @returns a folder that every user may read and no test writes to
 */
export function compiledSources(): Promise<string> {
  compiled ??= compileInOneWorker();
  return compiled;
}

/** The first worker compiles, under another name until all is there; the others wait for it. */
async function compileInOneWorker(): Promise<string> {
  const folder = join(process.env.TEST_DATA_DIR ?? (await makeFolder('run')), 'compiled');
  const isFirst = await mkdir(`${folder}.lock`).then(
    () => true,
    () => false,
  );
  if (!isFirst) {
    // The time limit of the test that needs it is the limit.
    while (!existsSync(folder)) await pause(LOOK_EVERY_MS);
    return folder;
  }
  const making = await makeFolder('compiling');
  await chmod(making, 0o755);
  await compileSources(making);
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/bundle.mjs'), making]);
  await rename(making, folder);
  return folder;
}

/** Compiles the sources below `root` into dist/ of a temporary folder. @returns the folder */
export async function compileSources(
  folder: string,
  nodeModules: string = join(ROOT, 'node_modules'),
  root: string = ROOT,
): Promise<string> {
  const names = await Promise.all(SOURCES.map((source) => readdir(join(root, source), { recursive: true })));
  const files = names.flatMap((list, index) => list.map((name) => join(SOURCES[index] ?? '', name)));
  await Promise.all(
    files.filter((file) => /(?<!\.spec|\.d)\.ts$/.test(file)).map((file) => compile(root, file, folder)),
  );
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(nodeModules, join(folder, 'node_modules'));
  for (const name of READ_BESIDE_SOURCES) await symlink(join(root, name), join(folder, name));
  return folder;
}

async function compile(root: string, file: string, folder: string): Promise<void> {
  const { code } = await transformFile(join(root, file), {
    swcrc: false,
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
    module: { type: 'es6' },
  });
  const target = join(folder, 'dist', file.replace(/\.ts$/, '.js'));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
}

/** A child process, and what it has said. */
export interface Running {
  readonly child: ChildProcess;
  output(): string;
  /** Resolves with the first match in the output. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** @returns the exit code, or the signal's name */
  ended: Promise<number | string>;
  stop(signal: NodeJS.Signals): Promise<number | string>;
}

export interface RunOptions {
  readonly environment?: Record<string, string>;
  readonly uid?: number;
  readonly cwd?: string;
  /** An open file for standard output, which is then not in `output()`. */
  readonly into?: number;
  /** Node itself, when not the one that runs here. */
  readonly program?: string;
}

/** For Node's --import: a process whose test run was killed, perhaps while it started, would work on. */
const ENDS_WITH_PARENT =
  'data:text/javascript,const { ppid } = process;' +
  'setInterval(() => process.ppid === ppid && ppid > 1 || process.exit(1), 500).unref()';

/** Starts `node file parameters`; the caller ends it, or the end of the test run does. */
export function run(
  file: string,
  parameters: string[],
  { environment, into, program = process.execPath, ...options }: RunOptions = {},
): Running {
  const child = spawn(program, ['--import', ENDS_WITH_PARENT, file, ...parameters], {
    env: {
      PATH: process.env.PATH,
      DATASET_JOBS: 'off',
      ARCHIVE_CDX_URL: 'off',
      SHUTDOWN_NOTICE_MS: '0',
      ADMISSION: 'off',
      ...environment,
    },
    stdio: ['ignore', into ?? 'pipe', 'pipe'],
    ...options,
    ...(options.uid !== undefined && { gid: options.uid }),
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<number | string>((done) => {
    child.once('close', (code, signal) => done(code ?? signal ?? 'unknown'));
  });
  return {
    child,
    ended,
    output: () => text,
    says: (pattern) => waitForText(child, pattern, () => text),
    async stop(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

async function waitForText(
  child: ChildProcess,
  pattern: RegExp,
  text: () => string,
): Promise<RegExpExecArray> {
  return new Promise((done, fail) => {
    const limit = setTimeout(
      () => finish(new Error(`"${pattern.source}" was not said in time:\n${text()}`)),
      START_LIMIT_MS,
    );
    const look = () => {
      const match = pattern.exec(text());
      if (match) finish(match);
    };
    const end = () =>
      pattern.test(text()) ? look() : finish(new Error(`the process ended early:\n${text()}`));
    function finish(result: RegExpExecArray | Error) {
      clearTimeout(limit);
      child.stdout?.off('data', look);
      child.stderr?.off('data', look);
      child.off('close', end);
      if (result instanceof Error) fail(result);
      else done(result);
    }
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('close', end);
    look();
  });
}

/** Below those that the system gives to connections: none of these takes the place of a server that is away. */
const FIRST_PORT = 10_240;
const PORTS = 20_000;

/** A port of loopback that nobody listens on just now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + randomInt(PORTS);
    const server = createServer();
    const isFree = await new Promise<boolean>((done) => {
      server.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true));
    });
    if (!isFree) continue;
    await new Promise((done) => server.close(done));
    return port;
  }
}

const WAIT_LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 25;

/** Looks until `condition` gives something other than undefined or false. */
export async function until<Result>(
  what: string,
  condition: () => Promise<Result> | Result,
): Promise<NonNullable<Result>> {
  for (const deadline = performance.now() + WAIT_LIMIT_MS; performance.now() < deadline;) {
    const result = await condition();
    if (result) return result;
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(`${what}: not within ${WAIT_LIMIT_MS} ms`);
}
