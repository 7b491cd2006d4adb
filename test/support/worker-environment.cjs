const { TestEnvironment } = require('jest-environment-node');

// What Jest stores on the global object for a test file: event handlers, and the file's time limit.
const OF_A_FILE = [Symbol.for('EVENT_HANDLERS'), Symbol.for('TEST_TIMEOUT_SYMBOL')];

/** The message with which Jest ends a worker (jest-worker's CHILD_MESSAGE_END). */
const END = 2;

// Jest kills a worker that is not gone 500 ms after it, and suspects a leak; freeing a full heap on a busy machine can
// take longer. So a worker leaves at once, and names what its tests have left open.
process.on('message', ([type]) => {
  if (type !== END) return;
  setImmediate(() => {
    const left = process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap');
    if (left.length > 0) process.stderr.write(`Tests have left open: ${left.join(', ')}\n`);
    process.exit();
  });
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
