const { TestEnvironment } = require('jest-environment-node');

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

let kept;

/** One global object for all files of a worker, since cached modules belong to it (worker-runtime.cjs). */
module.exports = class WorkerEnvironment extends TestEnvironment {
  constructor(config, context) {
    if (kept) return kept;
    super(config, context);
    this.variables = { ...this.global.process.env };
    kept = this;
  }

  /** Restores timers, mocks and variables for the next file. */
  async teardown() {
    this.fakeTimers.useRealTimers();
    this.fakeTimersModern.useRealTimers();
    this.moduleMocker.restoreAllMocks();
    for (const key of OF_A_FILE) delete this.global[key];
    const { env } = this.global.process;
    for (const name of Object.keys(env)) if (!(name in this.variables)) delete env[name];
    Object.assign(env, this.variables);
  }
};
