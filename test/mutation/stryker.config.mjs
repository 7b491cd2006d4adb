// Mutation testing of the rules that are pure: each has its spec beside it, so that a mutant is judged in a moment.
//   npm run test:mutation                      all of them (about ten minutes on two cores)
//   npm run test:mutation -- --mutate src/tiers/tiers.ts
import { fileURLToPath } from 'node:url';

const runner = fileURLToPath(import.meta.resolve('@stryker-mutator/jest-runner'));

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'jest',
  plugins: [runner],
  jest: { projectType: 'custom', configFile: 'test/mutation/jest.config.json', enableFindRelatedTests: true },
  mutate: [
    'src/domains/names/**/*.ts',
    'src/domains/page-cursor.ts',
    'src/domains/feed/feed-place.ts',
    'src/search/search-cursor.ts',
    'src/tiers/*.ts',
    'src/registry/**/*-answer.ts',
    'src/registry/rdap/rdap-status.ts',
    'src/rate-limit/budget/*.ts',
    'src/webhooks/receivers/receiver-address.ts',
    'src/webhooks/webhook-secret.ts',
    '!src/**/*.spec.ts',
    '!src/**/*.dto.ts',
    '!src/**/*.module.ts',
    '!src/**/*.repository.ts',
  ],
  coverageAnalysis: 'off',
  concurrency: 2,
  timeoutMS: 20_000,
  // Words for people are compared where they matter; a mutant in any other is no fault of a rule.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignorePatterns: [
    'dist',
    '.stryker-tmp',
    '.bowerbird',
    'test/bench',
    'test/browser',
    'test/contract',
    'docs',
  ],
  tempDirName: '.stryker-tmp',
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  thresholds: { high: 95, low: 85, break: 85 },
};
