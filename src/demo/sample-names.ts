import type { INestApplicationContext } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../config/product.js';
import { Clock, Database } from '../db/database.js';
import { DomainRepository } from '../domains/domain.repository.js';
import { Lifecycle } from '../domains/lifecycle/lifecycle.js';
import { NameSampler } from '../domains/search/name-sampler.js';
import { importNames } from '../ingest/import/importer.js';
import { openImportFile } from '../ingest/import/reading/import-source.js';

const SAMPLE_FILE = join(PROJECT_FOLDER, 'src', 'demo', 'sample-names.csv');

/**
 * The scores of the sample, by name: what the sandbox archive has of them, so that scoring them again changes
 * nothing.
 */
export async function readSampleScores(file = SAMPLE_FILE): Promise<Map<string, number>> {
  const [, ...rows] = (await readFile(file, 'utf8')).trim().split('\n');
  return new Map(
    rows.map((row) => {
      const [domain = '', wayback] = row.split(',');
      return [domain, Number(wayback)];
    }),
  );
}

/** Fills an empty dataset with the made-up names of the demo, by the same import that operators use. */
export async function loadSampleNames(app: INestApplicationContext): Promise<void> {
  const { refreshed } = await app.get(DomainRepository).readStats();
  if (refreshed) return;
  const now = await app.get(Clock).now();
  await importNames(app.get(Database), await openImportFile(SAMPLE_FILE), {
    lifecycle: app.get(Lifecycle),
    now,
    vouch: { by: 'sandbox', at: now },
  });
  await app.get(NameSampler).refresh();
}
