import type { Queryable } from '../../db/database.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import type { Verdict } from '../eligibility/verdict.js';
import type { Registrant } from '../registrar/port.js';

/** Opens it. @throws {UnreadableRow} */
export type SealedRegistrant = () => Registrant;

/** The registrants of an account, and what the rules say of them: what orders need of both. */
export abstract class OrderingCustomers {
  /** @returns null where the account has no such profile */
  abstract findRegistrant(
    accountId: string,
    registrantId: string,
    on?: Queryable,
  ): Promise<SealedRegistrant | null>;
  abstract judge(domain: DomainName, registrant: Registrant): Promise<Verdict>;
}
