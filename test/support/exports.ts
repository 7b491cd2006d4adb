import { ExportProcess } from '../../src/exports/exporter.js';
import { makeExports } from '../../src/exports/make-exports.js';

/** Exports made as always, but in the process of the test (test/exports/export-chain.process-spec.ts starts others). */
export class ExportsHere extends ExportProcess {
  override readonly make = makeExports;
}
