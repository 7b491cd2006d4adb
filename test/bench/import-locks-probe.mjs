// Loaded before an import: writes a line for each of its batches, with what it locked and for how long.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';

subscribe('bowerbird:import-batch', (batch) =>
  appendFileSync(process.env.IMPORT_LOCKS_FILE, `${JSON.stringify(batch)}\n`),
);
