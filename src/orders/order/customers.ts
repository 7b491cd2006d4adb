import type { DomainName } from '../../domains/name/domain-name.js';
import type { Registrant } from '../registrar/port.js';

/** Whether a registrant may have a name, by which rule. `eligible` is never assumed. */
export interface Verdict {
  readonly is: 'eligible' | 'not_eligible' | 'unknown';
  readonly rule: string;
  readonly source: string;
  readonly asOf: string;
}

/** The registrants of an account, and what the rules say of them: what orders need of both. */
export abstract class OrderingCustomers {
  /** @returns null where the account has no such profile */
  abstract findRegistrant(accountId: string, registrantId: string): Promise<Registrant | null>;
  abstract judge(domain: DomainName, registrant: Registrant): Promise<Verdict>;
}
