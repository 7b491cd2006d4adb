import type { Queryable } from '../../db/database.js';
import type { Verdict } from '../eligibility/verdict.js';
import type { Registrant } from '../registrar/port.js';
import type { Approval } from './agreements.js';
import { BY_PROGRAM } from './order-states.js';
import type { Order } from './order.repository.js';

/** Who does something with an order. */
export interface OrderActor {
  readonly accountId: string;
  /** For the record: `key:…` or `session:…`. */
  readonly by: string;
  /** The network. */
  readonly from: string | null;
}

/** Who approves an order. */
export interface Approver {
  readonly by: string;
  /** The network. */
  readonly from: string | null;
  /** The hash of the terms that the page showed, in hexadecimal; undefined: not compared. */
  readonly terms?: string | undefined;
  /** Left out: now. */
  readonly at?: Date;
  /** A person, who sees a refusal at once. */
  readonly isPerson?: boolean;
  /** Of the order, where it is known. */
  readonly registrant?: Registrant | undefined;
  /** Decides in the transaction that sets the money aside. @throws what refuses the approval */
  decide(transaction: Queryable, facts: ApprovalFacts): Promise<Pick<Approval, 'mandateId' | 'acceptance'>>;
}

/** What happens with an approval: its link or challenge is used up, or a consent is kept. */
export type WithApproval = (transaction: Queryable, facts: ApprovalFacts) => Promise<void>;

/** What a person chose with an order, and what its approval does about it. */
export interface Choice {
  readonly chosen: object;
  readonly also: WithApproval;
}

export interface ApprovalFacts {
  readonly order: Order;
  readonly verdict: Verdict['is'];
  readonly terms: Buffer;
  /** Of the registrant, as the order keeps it. */
  readonly holder: Buffer;
  readonly now: Date;
}

/** A person approves what they place, or it ends. */
export function isProgram({ by }: OrderActor): boolean {
  return new RegExp(BY_PROGRAM).test(by);
}
