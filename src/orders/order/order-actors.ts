import type { Queryable } from '../../db/database.js';
import type { Verdict } from '../eligibility/verdict.js';
import type { Registrant } from '../registrar/port.js';
import type { AcceptedText } from './agreements.js';
import type { Order } from './order.repository.js';

/** Who does something with an order. */
export interface OrderActor {
  readonly accountId: string;
  /** For the record: `key:…` or `session:…`. */
  readonly by: string;
  /** The network. */
  readonly from: string | null;
}

/** What a person of the account accepted: which texts, when, in which session and from which network. */
export interface Acceptance {
  readonly agreements: readonly AcceptedText[];
  readonly at: Date;
  readonly by: string;
  readonly from: string | null;
}

export interface Approval {
  readonly by: string;
  readonly from: string | null;
  /** The mandate that a person made for it; null: a person approved this order itself. */
  readonly mandateId: string | null;
  readonly acceptance: Acceptance;
  /** SHA-256 of the approved terms. */
  readonly terms: Buffer;
  readonly lapsesAt: Date;
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
  return /^(?:key|app):/.test(by);
}
