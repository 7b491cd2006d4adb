const { default: JestRuntime } = require('jest-runtime');

let kept;

/**
 * Jest loads every module anew for each test file: some 2,000 of them where it starts the application, which was half of
 * the suite's time. Here a worker loads a module once, and only the test file itself each time: the modules of the service
 * keep no state of their own, as several applications in one process have to be apart from each other anyway.
 */
module.exports = class WorkerRuntime extends JestRuntime {
  constructor(...parameters) {
    super(...parameters);
    kept ??= new JestRuntime(...parameters);
  }

  requireModuleOrMock(from, name) {
    return kept.requireModuleOrMock(from, name);
  }

  /** For stack traces. */
  getSourceMaps() {
    return new Map([...kept.getSourceMaps(), ...super.getSourceMaps()]);
  }
};
