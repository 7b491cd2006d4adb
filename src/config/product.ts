import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version of package.json, as read-config.spec.ts checks: of the API, its documents and its tool server. */
export const VERSION = '1.1.0';

/** What the service is, in at most 100 characters: the limit of server.json and of MCP's server card. */
export const DESCRIPTION =
  'Find, check and hand off available Australian (.au) domain names, ranked by archive score.';

/**
 * The folder of package.json, whether this file runs from src/ or from dist/: pages, assets and samples are read
 * from there.
 */
export const PROJECT_FOLDER = folderAbove(dirname(fileURLToPath(import.meta.url)));

function folderAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error('There is no package.json above the program.');
  return folderAbove(above);
}

/** The prefixes that carry an OpenAPI document of their own: the live paths and the planned layout. */
export const API_PREFIXES = ['v1', 'api/v1'] as const;
export type ApiPrefix = (typeof API_PREFIXES)[number];

/** The prefix of an address, in any case, as Express matches it; of one below neither the live one. */
export function prefixOf(path: string): ApiPrefix {
  return API_PREFIXES.find((prefix) => `${path.toLowerCase()}/`.startsWith(`/${prefix}/`)) ?? 'v1';
}

/** Where the OpenAPI document of a prefix is served, with a leading slash. */
export function documentPath(prefix: ApiPrefix): string {
  return `/${prefix}/openapi.json`;
}

/**
 * The release as the schema knows it, in the name of each of its connections. A release with migrations raises it. 1:
 * 1.1.0 and before, whose connections do not say. No address of a database can give another name (parsers.ts).
 */
export const SCHEMA_EPOCH = 2;
/**
 * The oldest release that works on the schema of this one. It may serve beside this one; the database refuses the
 * writes and workers of those before it (`schema_epoch`).
 */
export const OLDEST_EPOCH_SERVED = 1;
export const APPLICATION_NAME = `bowerbird/${SCHEMA_EPOCH}`;

/** The two parts of the official drop list: names deleted by their holder or by policy, or expired. */
export const LIST_KINDS = ['deleted', 'expired'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** The demo's data, apart from real data, so that `npm start` cannot serve made-up names as true. */
export const DEMO_DATA_DIR = '.bowerbird/demo';

/**
 * The numbers of every advisory lock, in one place: two uses of one number would wait for each other. The numbers mean
 * nothing, but must be the same in every process.
 */
export const ADVISORY_LOCKS = {
  /** Held by the process that migrates the schema. */
  migration: 7_265_001,
  /** Held shared by every process that uses an embedded server. */
  presence: 7_265_002,
  /** Held by the one import that runs. */
  import: 7_265_003,
  /** Held, with a hash of the account's id beside it, by the one replay of the account. */
  replay: 7_265_004,
  /** Held by the process that fetches drop lists. */
  listFetch: 7_265_005,
  /** Held by the process that makes exports. */
  export: 7_265_006,
  /** Held, with the number of a slot beside it, for each session at a registry. */
  eppSession: 7_265_007,
} as const;

/** What an operator's key may do: only look, or change things too. */
export const OPERATOR_ROLES = ['look', 'act'] as const;
