import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { PROJECT_FOLDER } from '../config/product.js';
import { Clock, Database } from '../db/database.js';
import { DomainRepository } from '../domains/domain.repository.js';
import { Lifecycle } from '../domains/lifecycle/lifecycle.js';
import { NameSampler } from '../domains/search/name-sampler.js';
import { importNames } from '../ingest/import/importer.js';
import { openImportFile } from '../ingest/import/reading/import-source.js';

/**
 * How the sandbox answers a question: with a state of the name, or by misbehaving in one of the ways that registries
 * do.
 */
export type SandboxAnswer =
  | 'available'
  | 'registered'
  | 'redemption'
  | 'pending_purge'
  | 'pending_delete'
  | 'reserved'
  | 'declined'
  | 'rate_limited'
  | 'limit_notice'
  | 'forbidden'
  | 'server_error'
  | 'slow'
  | 'silent'
  | 'html'
  | 'garbage'
  | 'cut_off'
  | 'oversized'
  | 'other_name'
  | 'redirect'
  | 'empty_404'
  | 'html_404'
  | 'reset';

interface SandboxLabel {
  /** The label before the suffix, the same under all six suffixes. */
  readonly label: string;
  readonly answer: SandboxAnswer;
  readonly meaning: string;
}

/** The names to try by hand. All of them keep the .au rules. */
export const SANDBOX_LABELS: readonly SandboxLabel[] = [
  { label: 'sandbox-available', answer: 'available', meaning: 'available' },
  { label: 'sandbox-registered', answer: 'registered', meaning: 'registered' },
  { label: 'sandbox-redemption', answer: 'redemption', meaning: 'expired; its holder can still renew it' },
  { label: 'sandbox-pending-purge', answer: 'pending_purge', meaning: 'expired and about to be purged' },
  { label: 'sandbox-pending-delete', answer: 'pending_delete', meaning: 'deleted, not yet purged' },
  { label: 'sandbox-reserved', answer: 'reserved', meaning: 'withheld by the registry' },
  { label: 'sandbox-declined', answer: 'declined', meaning: 'turned down by the registry, which says why' },
  {
    label: 'sandbox-429',
    answer: 'rate_limited',
    meaning: 'too many requests: the installation pauses for 2 s',
  },
  {
    label: 'sandbox-limit-notice',
    answer: 'limit_notice',
    meaning: 'a 200 that holds a notice about limits only',
  },
  { label: 'sandbox-403', answer: 'forbidden', meaning: 'access denied' },
  { label: 'sandbox-500', answer: 'server_error', meaning: 'a fault of the registry' },
  {
    label: 'sandbox-slow',
    answer: 'slow',
    meaning: 'answers after 8 s, which is later than the service waits',
  },
  { label: 'sandbox-silent', answer: 'silent', meaning: 'never answers' },
  { label: 'sandbox-html', answer: 'html', meaning: 'a web page with status 200' },
  { label: 'sandbox-garbage', answer: 'garbage', meaning: 'bytes that are no JSON' },
  {
    label: 'sandbox-cut-off',
    answer: 'cut_off',
    meaning: 'half of a domain object, then the connection ends',
  },
  { label: 'sandbox-oversized', answer: 'oversized', meaning: 'a domain object of 1 MB' },
  { label: 'sandbox-other-name', answer: 'other_name', meaning: 'the domain object of another name' },
  { label: 'sandbox-redirect', answer: 'redirect', meaning: 'a redirect to a name that is available' },
  { label: 'sandbox-empty-404', answer: 'empty_404', meaning: 'an empty "not found" as a proxy sends it' },
  { label: 'sandbox-html-404', answer: 'html_404', meaning: 'a "not found" page as a web server sends it' },
  { label: 'sandbox-reset', answer: 'reset', meaning: 'drops the connection' },
];

/** Names that everybody knows to be taken, so that the sandbox does not look absurd. */
const WELL_KNOWN: ReadonlySet<string> = new Set([
  'google.com.au',
  'auda.org.au',
  'auda.au',
  'abc.net.au',
  'sbs.com.au',
  'telstra.com.au',
  'optus.com.au',
  'auspost.com.au',
  'qantas.com.au',
  'woolworths.com.au',
  'coles.com.au',
  'bunnings.com.au',
  'commbank.com.au',
  'westpac.com.au',
  'seek.com.au',
  'realestate.com.au',
  'domain.com.au',
  'news.com.au',
  'smh.com.au',
  'redcross.org.au',
  'ventraip.com.au',
  'crazydomains.com.au',
]);

const ANSWERS_BY_LABEL: ReadonlyMap<string, SandboxAnswer> = new Map(
  SANDBOX_LABELS.map(({ label, answer }) => [label, answer]),
);

/** Always the same for the same name: by its label, by being well known, or else by its hash. */
export function sandboxAnswerOf(domain: string): SandboxAnswer {
  const [label = ''] = domain.split('.');
  return (
    ANSWERS_BY_LABEL.get(label) ?? (WELL_KNOWN.has(domain) ? 'registered' : answerOfHash(hashOf(domain)))
  );
}

/** A number that belongs to the name: the sandbox makes up everything else from it. */
export function hashOf(domain: string): number {
  return createHash('sha256').update(domain).digest().readUInt32BE();
}

// Of 240 names, 20 are registered (1 in 12), 6 pending delete (1 in 40), 4 in redemption (1 in 60), 3 reserved (1 in
// 80).
function answerOfHash(hash: number): SandboxAnswer {
  const place = hash % 240;
  if (place < 20) return 'registered';
  if (place < 26) return 'pending_delete';
  if (place < 30) return 'redemption';
  if (place < 33) return 'reserved';
  return 'available';
}

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
