import { fileURLToPath } from 'node:url';
import { AREAS } from './areas.mjs';

const { MUTATION_AREA: area } = process.env;
const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: AREAS[area].mutate,
  buildCommand: `node ${pathOf('build.mjs')}`,
  testRunner: 'in-process',
  plugins: [pathOf('runner.mjs'), pathOf('ignorers.mjs')],
  ignorers: ['untold'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 20_000,
  ignorePatterns: ['/*', '!/src', '!/test', '/test/*', '!/test/support', '!/package.json'],
  tempDirName: '.stryker-tmp',
  reporters: ['clear-text', 'json', 'progress-append-only'],
  jsonReporter: { fileName: `test/mutation/reports/${area}.json` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: false },
  thresholds: { high: 95, low: 85, break: 85 },
};
