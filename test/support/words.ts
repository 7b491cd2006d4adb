import type { Database } from '../../src/db/database.js';
import { WordFillJob } from '../../src/domains/words/word-fill.job.js';
import { WordFillRepository } from '../../src/domains/words/word-fill.repository.js';

const WORK = { kind: 'word-fill', key: '', cursor: null, failures: 0, isSlow: false };

/** Cuts the labels of all names into words, as the job does. */
export async function cutNames(database: Database): Promise<void> {
  const job = new WordFillJob(new WordFillRepository(database));
  for (;;) if ((await job.run(WORK)).againInMs === undefined) return;
}
