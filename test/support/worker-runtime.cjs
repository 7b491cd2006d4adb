const { default: JestRuntime } = require('jest-runtime');

let kept;

/**
 * Jest loads every module again for each test file; starting the application takes some 2,000, which was half of the
 * suite's time. Here a worker loads a module once, and only the test file each time. Modules of the service have no
 * state of their own, since several applications in one process must be independent.
 */
module.exports = class WorkerRuntime extends JestRuntime {
  constructor(...parameters) {
    super(...parameters);
    kept ??= new JestRuntime(...parameters);
  }

  requireModuleOrMock(from, name) {
    return kept.requireModuleOrMock(from, name);
  }

  /** Of Jest's own modules, jest-circus keeps the state of a file, and is loaded for each; what it needs is not. */
  requireInternalModule(from, name) {
    return name === undefined ? super.requireInternalModule(from) : kept.requireInternalModule(from, name);
  }

  /** For stack traces. */
  getSourceMaps() {
    return new Map([...kept.getSourceMaps(), ...super.getSourceMaps()]);
  }
};
