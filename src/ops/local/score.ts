import { readFile } from 'node:fs/promises';
import { createArchiveClient } from '../../archive/archive.module.js';
import { ArchiveQueue } from '../../archive/archive-queue.repository.js';
import { ArchiveScoreRepository } from '../../archive/archive-score.repository.js';
import { ArchiveScorer } from '../../archive/archive-scorer.js';
import { ArchiveRateLimiter, askByHand } from '../../archive/archive-rate-limiter.repository.js';
import { type Captures, readCdxAnswer } from '../../archive/cdx-answer.js';
import { explainScore } from '../../archive/archive-score.js';
import type { Config } from '../../config/config.js';
import { Clock, type Database } from '../../db/database.js';
import { findDomain } from '../../domains/domain.repository.js';
import { createLifecycle } from '../../domains/domains.module.js';
import { parseDomainName } from '../../domains/name/domain-name.js';
import { interruptible, withDatabase } from './database.js';

/** @param file an answer of a CDX server; undefined: the archive is asked */
export function score(text: string, file: string | undefined): Promise<void> {
  const { domain } = parseDomainName(text);
  return file === undefined
    ? withDatabase((database, config) => scoreNow(database, config, domain))
    : scoreFile(domain, file);
}

async function scoreNow(database: Database, config: Config, domain: string): Promise<void> {
  const { cdxUrl, source } = config.archive;
  if (cdxUrl === undefined) throw new Error('No archive is asked: ARCHIVE_CDX_URL is off.');
  process.stdout.write(`${domain}, as ${cdxUrl} (${source}) has it\n`);
  const turns = new ArchiveRateLimiter(database, config);
  const client = createArchiveClient(config);
  const asker = { client, turns, clock: new Clock(database) };
  const { answer, askedAt } = await interruptible(async (signal) => {
    const asked = await askByHand(asker, domain, signal);
    signal.throwIfAborted();
    return asked;
  });
  const scorer = new ArchiveScorer(
    client,
    turns,
    new ArchiveQueue(database),
    new ArchiveScoreRepository(database),
    createLifecycle(database, config),
    config,
  );
  const isKnown = (await findDomain(domain, database)) !== null;
  if (isKnown) await scorer.observe(domain, answer, askedAt);
  else await scorer.observeArchive(answer, askedAt);
  if (!answer.answered)
    throw new Error(
      `The archive gave no answer: ${answer.reason} (${answer.detail}). The score is unknown, not 0.`,
    );
  printSteps(answer);
  process.stdout.write(
    isKnown ? 'Kept in the dataset.\n' : 'Not kept: the dataset does not have the name.\n',
  );
}

async function scoreFile(domain: string, file: string): Promise<void> {
  const answer = readCdxAnswer(await readFile(file, 'utf8'), new Date());
  if ('unreadable' in answer)
    throw new Error(
      `${file} is no answer of a CDX server: ${answer.unreadable}. The score is unknown, not 0.`,
    );
  process.stdout.write(`${domain}, as ${file} has it\n`);
  printSteps(answer);
}

function printSteps(captures: Captures): void {
  for (const line of explainScore(captures)) process.stdout.write(`${line}\n`);
}
