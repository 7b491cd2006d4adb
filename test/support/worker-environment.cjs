const { TestEnvironment } = require('jest-environment-node');

// What Jest keeps of a test file on the global object: who hears its events, and the time limit it has set.
const OF_A_FILE = [Symbol.for('EVENT_HANDLERS'), Symbol.for('TEST_TIMEOUT_SYMBOL')];

let kept;

/** One global object for all the files that a worker runs, as modules that are kept belong to theirs (worker-runtime.cjs). */
module.exports = class WorkerEnvironment extends TestEnvironment {
  constructor(config, context) {
    if (kept) return kept;
    super(config, context);
    this.variables = { ...this.global.process.env };
    kept = this;
  }

  /** Takes back what the file has left behind, for the next one. */
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
