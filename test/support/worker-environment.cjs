const { ModernFakeTimers } = require('@jest/fake-timers');
const { TestEnvironment } = require('jest-environment-node');
const { ModuleMocker } = require('jest-mock');
const { installCommonGlobals } = require('jest-util');
const { AsyncLocalStorage } = require('node:async_hooks');

// What Jest stores on the global object for a test file: event handlers, and the file's time limit.
const OF_A_FILE = [Symbol.for('EVENT_HANDLERS'), Symbol.for('TEST_TIMEOUT_SYMBOL')];

/** The message with which Jest ends a worker (jest-worker's CHILD_MESSAGE_END). */
const END = 2;

/** For what is closing when the last test has ended, such as a connection that waits for the server's farewell. */
const CLOSING_LIMIT_MS = 5_000;
const LOOK_EVERY_MS = 10;

/** The worker speaks to Jest through pipes, and its tests to PostgreSQL. */
function leftOpen() {
  const pipes = process._getActiveHandles().filter((handle) => handle._handle?.constructor.name === 'Pipe');
  // jest-util reads each property of the process once, which opens its input.
  const own = [process.stdin, process.stdout, process.stderr];
  const ofTests = pipes.filter((pipe) => !own.includes(pipe));
  const others = process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap');
  return [...others, ...ofTests.map(() => 'a connection to PostgreSQL')];
}

// A worker leaves by itself once nothing is open, at the latest after a while, and then names what its tests have left
// open. Jest waits for it (workerGracefulExitTimeout): its own 500 ms are too short for a busy machine.
process.on('message', ([type]) => {
  if (type !== END) return;
  const leaveBy = performance.now() + CLOSING_LIMIT_MS;
  const leave = () => {
    const left = leftOpen();
    if (left.length > 0 && performance.now() < leaveBy) {
      setTimeout(leave, LOOK_EVERY_MS).unref();
      return;
    }
    if (left.length > 0) process.stderr.write(`Tests have left open: ${left.join(', ')}\n`);
    process.exit();
  };
  setImmediate(leave);
});

/**
 * Storages in use. Up to Node 22 every promise asks each of them for its value, and jest-circus makes one for each file
 * that it never gives back. One that is used again is asked again.
 */
const storages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...parameters) {
  storages.add(this);
  return run.apply(this, parameters);
};

let kept;

/** The worker's own realm for all its files (worker-runtime.cjs). */
module.exports = class WorkerEnvironment extends TestEnvironment {
  constructor(config, context) {
    if (kept) return kept;
    super(config, context);
    const { process } = globalThis;
    installCommonGlobals(globalThis, {});
    globalThis.process = process;
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis });
    this.variables = { ...process.env };
    this.exit = process.exit;
    kept = this;
  }

  /** Restores timers, mocks and variables for the next file. */
  async teardown() {
    this.fakeTimersModern.useRealTimers();
    this.moduleMocker.restoreAllMocks();
    for (const key of OF_A_FILE) delete globalThis[key];
    // Each of these would keep every file's runtime for as long as the worker lives: jest-circus's state under symbols
    // of its own, and an exit that wraps the one before.
    for (const key of Object.getOwnPropertySymbols(globalThis))
      if (key.description === 'JEST_STATE_SYMBOL') delete globalThis[key];
    process.exit = this.exit;
    for (const storage of storages) storage.disable();
    storages.clear();
    for (const name of Object.keys(process.env)) if (!(name in this.variables)) delete process.env[name];
    Object.assign(process.env, this.variables);
  }
};
