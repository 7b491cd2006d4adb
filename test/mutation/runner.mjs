// Runs specs by Jest's own parts (jest-circus and expect), but within one process and without Jest around them: to look for files
// and make a realm takes Jest half a second for each mutant, and a mutant of a pure rule is judged in some milliseconds.
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { AREAS } from './areas.mjs';

const require = createRequire(import.meta.url);
const requireOfProduct = createRequire(new URL('../../package.json', import.meta.url));

class InProcessRunner {
  /** Where the mutants are: known only when the runner is made, not when this file is read. */
  #sandbox = process.cwd();
  #specs = readdirSync('src', { recursive: true })
    .filter((path) => path.endsWith('.spec.js') && AREAS[process.env.MUTATION_AREA].specs.test(path))
    // The first test that fails ends the run: those of thousands of made-up cases come last.
    .sort((one, other) => Number(one.includes('.properties.')) - Number(other.includes('.properties.')))
    .map((path) => join(this.#sandbox, 'src', path));
  #context = (globalThis.__stryker__ ??= {});
  /** The spec that holds a test; known once this process has read it. */
  #specOfTest = new Map();
  #circus;

  capabilities() {
    return { reloadEnvironment: true };
  }

  init() {
    this.#circus = prepareGlobals();
    this.#circus.addEventHandler((event) => {
      if (event.name === 'test_start') this.#context.currentTestId = idOf(event.test);
      if (event.name === 'test_done') this.#context.currentTestId = undefined;
    });
  }

  async dryRun() {
    const { tests, error } = await this.#run({ isReloaded: true, bails: false });
    if (error) return { status: DryRunStatus.Error, errorMessage: error.stack };
    return { status: DryRunStatus.Complete, tests, mutantCoverage: this.#context.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, mutantActivation, reloadEnvironment, hitLimit, disableBail }) {
    Object.assign(this.#context, { hitCount: hitLimit ? 0 : undefined, hitLimit });
    const isStatic = mutantActivation === 'static';
    const activate = () => (this.#context.activeMutant = activeMutant.id);
    if (isStatic) activate();
    try {
      const { tests, error } = await this.#run({
        isReloaded: isStatic || reloadEnvironment,
        bails: !disableBail,
        wanted: testFilter && new Set(testFilter),
        onLoaded: activate,
      });
      const timeout = determineHitLimitReached(this.#context.hitCount, this.#context.hitLimit);
      if (timeout) return timeout;
      // A mutant with which a spec cannot even be read is found.
      const failed = error && [{ id: 'reading', status: TestStatus.Failed, failureMessage: error.stack }];
      return toMutantRunResult({ status: DryRunStatus.Complete, tests: failed ?? tests }, disableBail);
    } finally {
      this.#context.activeMutant = undefined;
    }
  }

  async #run({ isReloaded, bails, wanted, onLoaded }) {
    const { resetState, getState, run } = this.#circus;
    for (const path of Object.keys(require.cache))
      if (path.startsWith(this.#sandbox) && (isReloaded || path.endsWith('.spec.js')))
        delete require.cache[path];
    resetState();
    try {
      for (const spec of this.#specsWith(wanted)) {
        const { children } = getState().rootDescribeBlock;
        const before = children.length;
        require(spec);
        for (const test of testsOf(children.slice(before))) this.#specOfTest.set(idOf(test), spec);
      }
    } catch (error) {
      return { tests: [], error };
    }
    const tests = testsOf(getState().rootDescribeBlock.children);
    for (const test of tests) if (wanted && !wanted.has(idOf(test))) test.mode = 'skip';
    const bail = (event) => {
      if (event.name !== 'test_done' || event.test.errors.length === 0) return;
      for (const test of tests) if (test.status === null) test.mode = 'skip';
    };
    if (bails) this.#circus.addEventHandler(bail);
    onLoaded?.();
    await run();
    this.#circus.removeEventHandler(bail);
    return { tests: tests.map(resultOf) };
  }

  #specsWith(wanted) {
    const specs = wanted && new Set([...wanted].map((id) => this.#specOfTest.get(id)));
    return this.#specs.filter((spec) => !specs || specs.has(undefined) || specs.has(spec));
  }
}

/** @returns what is left of circus: how its tests are run */
function prepareGlobals() {
  requireOfProduct('reflect-metadata');
  // The same cases each time, so that a score can be compared; and of those that fail the first will do.
  requireOfProduct('fast-check').configureGlobal({ seed: 1, endOnFailure: true });
  const { expect } = requireOfProduct('expect');
  const { describe, it, test, beforeAll, beforeEach, afterEach, afterAll, ...circus } =
    requireOfProduct('jest-circus');
  Object.assign(globalThis, { describe, it, test, beforeAll, beforeEach, afterEach, afterAll, expect });
  return circus;
}

function testsOf(children) {
  return children.flatMap((child) => (child.type === 'test' ? [child] : testsOf(child.children)));
}

function idOf({ name, parent }) {
  return parent?.parent ? `${idOf(parent)} ${name}` : name;
}

function resultOf(test) {
  const result = { id: idOf(test), name: idOf(test), timeSpentMs: test.duration ?? 0 };
  const [error] = test.errors.flat().filter(Boolean);
  if (error) return { ...result, status: TestStatus.Failed, failureMessage: String(error.message ?? error) };
  return { ...result, status: test.status === 'done' ? TestStatus.Success : TestStatus.Skipped };
}

export const strykerPlugins = [
  { kind: 'TestRunner', name: 'in-process', factory: () => new InProcessRunner() },
];
