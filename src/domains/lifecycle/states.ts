/** The states of a name in the dataset, in the order in which a name usually goes through them. */
export const DOMAIN_STATES = {
  unconfirmed: 'Somebody listed it without evidence, or the registry called it neither free nor taken.',
  listed: 'On a drop list; its purge lies ahead.',
  purged: 'Its purge has passed; no registry has confirmed yet that it is free.',
  available:
    'A registry, or a source that the operator vouches for, said that it is free: the only state that is offered.',
  stale: 'Was available, and has not been asked about for longer than the operator allows.',
  taken: 'A registry said that somebody registered it after it was free.',
  rescued: 'A registry said that it is still held: it never dropped.',
} as const satisfies Record<string, string>;
export type DomainState = keyof typeof DOMAIN_STATES;

/** What the feed tells of a name's moves. */
export type LifecycleEvent = 'domain.dropped' | 'domain.taken' | 'domain.listed' | 'domain.rescued';
