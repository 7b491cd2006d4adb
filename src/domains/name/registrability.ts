import type { DomainName } from './domain-name.js';
import type { NameReason } from './rules/name-rule.js';

/** Whether a name can be registered, as opposed to whether it is free: some that are free are kept from most or from all. */
export interface Registrability {
  /** True: free, and nothing is known against it; false: it cannot be registered now; null: it is not known, or in doubt. */
  readonly registrable: boolean | null;
  /** What is known against the name, whether or not it is free; null when nothing is. */
  readonly reason: NameReason | null;
}

/** @param free what is known of the registration: free to take, not free, or (null) not known */
export function judgeRegistrability({ rule }: DomainName, free: boolean | null): Registrability {
  const reason = rule?.reason ?? null;
  if (free === false || rule?.registrable === false) return { registrable: false, reason };
  return { registrable: free === null || rule ? null : true, reason };
}
