const { default: JestRuntime } = require('jest-runtime');
const { createRequire, isBuiltin } = require('node:module');
const { compileFunction } = require('node:vm');

/**
 * Jest gives each test file a realm of its own, in which each use of a global object, even of `Object`, asks a proxy,
 * and loads all packages anew through transforms of its own. Here modules run in the worker's realm
 * (worker-environment.cjs), and packages are what Node loads, by the same entries as in production.
 */
class OneRealmRuntime extends JestRuntime {
  constructor(...parameters) {
    super(...parameters);
    const { executor } = this;
    executor.compile = (source, filename) =>
      compileFunction(source, executor.injectedModuleParameters, { filename });
  }

  requireModuleOrMock(from, name) {
    if (/^[./]/.test(name)) return super.requireModuleOrMock(from, name);
    return createRequire(from)(isBuiltin(name) ? name : this._resolution.resolveEsm(from, name));
  }
}

let kept;

/**
 * Jest loads every module again for each test file; starting the application takes some 2,000, which was half of the
 * suite's time. Here a worker loads a module once, and only the test file each time. Modules of the service have no
 * state of their own, since several applications in one process must be independent.
 */
module.exports = class WorkerRuntime extends OneRealmRuntime {
  constructor(...parameters) {
    super(...parameters);
    kept ??= new OneRealmRuntime(...parameters);
  }

  requireModuleOrMock(from, name) {
    return kept.requireModuleOrMock(from, name);
  }

  /** Of Jest's own modules, jest-circus keeps the state of a file, and is loaded for each; what it needs is not. */
  requireInternalModule(from, name) {
    return name === undefined ? super.requireInternalModule(from) : kept.requireInternalModule(from, name);
  }

  /** For stack traces. A file has its map when it is loaded, which is after Jest has asked for the maps. */
  getSourceMaps() {
    const own = super.getSourceMaps();
    this.sourceMaps ??= {
      get: (file) => own.get(file) ?? kept.getSourceMaps().get(file),
      [Symbol.iterator]: () => own[Symbol.iterator](),
    };
    return this.sourceMaps;
  }
};
