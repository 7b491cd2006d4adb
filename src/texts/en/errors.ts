/** Headings of pages that say what failed, by the code of the API. */
export const errors = {
  headings: {
    not_found: 'There is no page at this address',
    domain_missing: 'There is no name to look at',
    domain_invalid: 'This is not a .au name',
    domain_suffix_unsupported: 'We do not cover this suffix',
    domain_not_registrable: 'This name cannot be registered',
    method_not_allowed: 'This address is for programs',
    key_required: 'This is for accounts',
    tier_required: 'This list ends here',
    budget_exhausted: 'You have no records left for now',
    too_many_requests: 'Too many pages at once',
    registry_unavailable: 'The registry does not answer',
    database_unavailable: 'The service is unavailable for a moment',
    not_ready: 'The service is unavailable for a moment',
    internal_error: 'Something broke on our side',
  },
  theText: 'The text ',
  failed: 'That did not work',
  checkAddress: 'Check the address. The page may have been removed.',
  tiers: 'What each tier shows',
  registry: 'How the registry is doing',
} as const;
