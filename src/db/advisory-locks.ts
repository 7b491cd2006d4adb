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
} as const;
