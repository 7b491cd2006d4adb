const { TestEnvironment } = require('jest-environment-node');
const { AsyncLocalStorage } = require('node:async_hooks');

// What Jest stores on the global object for a test file: event handlers, and the file's time limit.
const OF_A_FILE = [Symbol.for('EVENT_HANDLERS'), Symbol.for('TEST_TIMEOUT_SYMBOL')];

/** The message with which Jest ends a worker (jest-worker's CHILD_MESSAGE_END). */
const END = 2;

/** For what is closing when the last test has ended, such as a connection that waits for the server's farewell. */
const CLOSING_LIMIT_MS = 5_000;
const LOOK_EVERY_MS = 10;

// A worker leaves by itself once nothing is open, at the latest after a while, and then names what its tests have left
// open. Jest waits for it (workerGracefulExitTimeout): its own 500 ms are too short for a busy machine.
process.on('message', ([type]) => {
  if (type !== END) return;
  const leaveBy = performance.now() + CLOSING_LIMIT_MS;
  const leave = () => {
    const left = process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap');
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

/** One global object for all files of a worker, since cached modules belong to it (worker-runtime.cjs). */
module.exports = class WorkerEnvironment extends TestEnvironment {
  constructor(config, context) {
    if (kept) return kept;
    super(config, context);
    this.variables = { ...this.global.process.env };
    this.exit = this.global.process.exit;
    kept = this;
  }

  /** Restores timers, mocks and variables for the next file. */
  async teardown() {
    this.fakeTimers.useRealTimers();
    this.fakeTimersModern.useRealTimers();
    this.moduleMocker.restoreAllMocks();
    for (const key of OF_A_FILE) delete this.global[key];
    // Each of these would keep every file's runtime for as long as the worker lives: what Jest wants to clean at the
    // environment's end, jest-circus's state under symbols of its own, and an exit that wraps the one before.
    this._globalProxy.leftovers = [];
    for (const key of Object.getOwnPropertySymbols(this.global))
      if (key.description === 'JEST_STATE_SYMBOL') delete this.global[key];
    this.global.process.exit = this.exit;
    for (const storage of storages) storage.disable();
    storages.clear();
    const { env } = this.global.process;
    for (const name of Object.keys(env)) if (!(name in this.variables)) delete env[name];
    Object.assign(env, this.variables);
  }
};
