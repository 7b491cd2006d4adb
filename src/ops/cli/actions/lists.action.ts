import type { Config } from '../../../config/config.js';
import { Clock } from '../../../db/clock.js';
import type { Database } from '../../../db/database.js';
import type { ListAddressState, ListFetch } from '../../../ingest/list-records/list-fetch.js';
import { ListFetchRepository } from '../../../ingest/list-records/list-fetch.repository.js';
import { createListFetcher } from '../../../ingest/lists/lists.module.js';
import { EXIT_FAILED } from '../exit-codes.js';
import { withDatabase } from '../with-database.js';

const NO_ADDRESS = 'No list is fetched: LIST_DELETED_URLS and LIST_EXPIRED_URLS are empty.\n';

export function printLists(): Promise<void> {
  return withDatabase(describeLists);
}

async function describeLists(database: Database, { lists }: Config): Promise<void> {
  if (lists.addresses.length === 0) process.stdout.write(NO_ADDRESS);
  const fetches = new ListFetchRepository(database);
  for (const { url, kind } of lists.addresses)
    process.stdout.write(`${kind}  ${url}\n${describeState(await fetches.readState(url))}`);
}

export async function fetchLists(acceptAlarms: boolean): Promise<void> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort(new Error('Interrupted.'));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await withDatabase(async (database, config) => {
      const fetcher = createListFetcher(database, config);
      const options = { signal: interruption.signal, acceptsAlarms: acceptAlarms };
      const fetched = await fetcher.fetchAll(await new Clock(database).now(), options);
      if (!fetched) throw new Error('Another process is fetching lists at this moment; try again.');
      if (fetched.length === 0) process.stdout.write(NO_ADDRESS);
      for (const fetch of fetched)
        process.stdout.write(`${fetch.kind}  ${fetch.address}\n  ${describeFetch(fetch)}\n`);
      if (fetched.some(({ outcome }) => outcome === 'alarm' || outcome === 'failed'))
        process.exitCode = EXIT_FAILED;
    });
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function describeState({ latest, lastImported, failuresInRow }: ListAddressState): string {
  if (!latest) return '  never fetched\n';
  const lines = [`last fetch   ${describeFetch(latest)}`];
  if (failuresInRow > 1) lines.push(`failures     ${failuresInRow} in a row`);
  if (lastImported?.id !== latest.id)
    lines.push(`last import  ${lastImported ? describeFetch(lastImported) : 'never'}`);
  return lines.map((line) => `  ${line}\n`).join('');
}

function describeFetch({ startedAt, outcome, rows, rejected, ahead, bytes, detail }: ListFetch): string {
  const counts =
    outcome === 'imported'
      ? `: ${rows} rows, ${rejected} rejected, ${ahead} with their purge ahead, ${bytes} bytes`
      : '';
  const word = outcome === 'alarm' ? 'ALARM, not imported' : (outcome ?? 'under way, or killed');
  return `${startedAt.toISOString()}  ${word}${counts}${detail === null ? '' : `. ${detail}`}`;
}
