/** The names of the states of a name in the dataset, in the order in which a name usually goes through them. */
export const STATE_NAMES = [
  'unconfirmed',
  'listed',
  'purged',
  'available',
  'stale',
  'taken',
  'rescued',
] as const;
export type DomainState = (typeof STATE_NAMES)[number];

/** The states, and what each says of a name. */
export const DOMAIN_STATES: Readonly<Record<DomainState, string>> = {
  unconfirmed: 'Listed by somebody without evidence, or called neither free nor taken by the registry.',
  listed: 'On a drop list; its purge lies ahead.',
  purged: 'Its purge has passed; no registry has confirmed yet that it is free.',
  available:
    'Called free by a registry, or by a source that the operator vouches for. The only state that is offered.',
  stale: 'Was available, and has not been asked about for longer than the operator allows.',
  taken: 'Called registered by a registry, after it was free.',
  rescued: 'Called registered by a registry, and never dropped.',
};

/** What is told of the moves of a name. */
export type LifecycleEvent =
  | 'domain.dropped'
  | 'domain.taken'
  | 'domain.listed'
  | 'domain.rescued'
  | 'domain.purged'
  /** Withheld, or forgotten: who holds a copy leaves it out. */
  | 'domain.removed'
  /** Shown again, as what nothing else tells of. */
  | 'domain.restored';
