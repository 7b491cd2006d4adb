import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Database, type Queryable } from '../../db/database.js';
import { ROW_CHANGED } from '../../errors/database-failure.js';

/**
 * The accounts of the ledger. In an entry credits are positive: what the service owes a customer is positive, and what
 * it owns is negative.
 */
export const LEDGER_KINDS = {
  customer: { of: 'customer', words: 'prepaid balance of a customer; never below what is held of it' },
  receivable: { of: 'customer', words: 'what a customer owes after a disputed card payment' },
  card_clearing: { of: 'service', words: 'paid by card, on its way to the bank' },
  card_fees: { of: 'service', words: 'fees of disputed card payments' },
  registrar_prepaid: { of: 'service', words: 'paid to registrars in advance' },
  registrar_cost: { of: 'service', words: 'what registrars charged' },
  revenue: { of: 'service', words: 'what customers paid, without GST' },
  gst_payable: { of: 'service', words: 'GST of what customers paid' },
  goodwill: { of: 'service', words: 'credited by operators' },
  suspense: { of: 'service', words: 'payments that belong to no account' },
} as const satisfies Record<string, { of: 'customer' | 'service'; words: string }>;

export type LedgerKind = keyof typeof LEDGER_KINDS;
type CustomerKind = {
  [Kind in LedgerKind]: (typeof LEDGER_KINDS)[Kind]['of'] extends 'customer' ? Kind : never;
}[LedgerKind];

export type Account =
  | { readonly kind: CustomerKind; readonly accountId: string }
  | { readonly kind: Exclude<LedgerKind, CustomerKind> };
/** One side of a transaction. */
export type Entry = { readonly cents: number } & Account;

/** What a customer gets for a movement: of a sale a tax invoice, of its reversal an adjustment note. */
export type ReceiptKind = 'payment' | 'refund' | 'sale' | 'adjustment' | 'credit' | 'correction';

/** The kinds of movements, and what a customer gets for one. Their words are texts. */
export const TRANSACTION_KINDS = {
  top_up: 'payment',
  refund: 'refund',
  refund_failed: 'correction',
  dispute: 'correction',
  dispute_won: 'correction',
  settlement: null,
  credit: 'credit',
  registration: 'sale',
  renewal: 'sale',
  registration_cancelled: 'adjustment',
  registrar_funds: null,
} as const satisfies Record<string, ReceiptKind | null>;
export type TransactionKind = keyof typeof TRANSACTION_KINDS;

/** The seller on a receipt. */
export interface Seller {
  readonly name: string;
  /** Null: no tax invoices. */
  readonly abn: string | null;
  readonly address: string | null;
  /** Whether no real money is meant. */
  readonly isPlayMoney: boolean;
}

export interface Booking {
  readonly kind: TransactionKind;
  /** What it is booked for, such as `stripe:pi_123`: booked once. */
  readonly source: string;
  /** For the statement. */
  readonly words: string;
  readonly at: Date;
  /** Of different accounts, and zero in sum. Those of no cents are left out. */
  readonly entries: readonly Entry[];
}

export interface Balance {
  readonly balanceCents: number;
  /** Of it, set aside for orders that are not settled. */
  readonly heldCents: number;
  readonly freeCents: number;
  /** Owed after a dispute. */
  readonly owedCents: number;
}

export interface Hold {
  /** Of the order. */
  readonly id: string;
  readonly accountId: string;
  readonly cents: number;
  readonly at: Date;
}

export interface StatementRow {
  readonly id: string;
  readonly at: Date;
  readonly kind: TransactionKind;
  readonly words: string;
  readonly cents: number;
  readonly balanceCents: number;
  /** The number of its receipt; null without one. */
  readonly receipt: string | null;
}

/** A change of what a customer has: credits are positive. */
export interface CustomerBooking extends Omit<Booking, 'entries'> {
  readonly accountId: string;
  readonly cents: number;
  /** The other sides: with `cents`, zero in sum. */
  readonly against: readonly Entry[];
}

/** A balance that differs from its entries or holds. */
export interface Difference {
  readonly account: string;
  readonly words: string;
}

const CENTS = `::float8`;
const MAX_BIGINT = '9223372036854775807';

/**
 * The ledger: every change of money, once, and zero in sum at every commit (the database refuses anything else). All
 * changes run in the transaction of their cause. Accounts are locked in the order of their ids.
 */
@Injectable()
export class Ledger {
  /** Accounts of the service that are known to be there: no account is ever removed. */
  private readonly opened = new Set<LedgerKind>();

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  async balanceOf(accountId: string, on: Queryable = this.database): Promise<Balance> {
    const rows = await on.kept<{ kind: string; balance: number; held: number }>(
      `SELECT kind, balance_cents${CENTS} AS balance, held_cents${CENTS} AS held FROM ledger_account
        WHERE kind IN ('customer', 'receivable') AND account_id = $1`,
      [accountId],
    );
    const { balance = 0, held = 0 } = rows.find(({ kind }) => kind === 'customer') ?? {};
    const owed = rows.find(({ kind }) => kind === 'receivable')?.balance ?? 0;
    const freeCents = Math.max(0, balance - held + owed);
    return { balanceCents: balance, heldCents: held, freeCents, owedCents: 0 - owed };
  }

  /**
   * Locks accounts until the transaction ends. A transaction that moves money more than once locks all its accounts
   * before the first movement: another one that has them in another order would wait for it in vain.
   */
  async lock(transaction: Queryable, accounts: readonly Account[]): Promise<void> {
    await this.openAndLock(transaction, accounts, accounts);
  }

  /**
   * Books a change that cannot be refused. A credit pays the debt first; the part of a debit that exceeds the balance
   * without its holds becomes debt. In any order of such changes, balance and debt have the same sum.
   *
   * @returns what the balance itself got or lost; null where its source is booked already
   */
  async postTo(
    transaction: Queryable,
    { accountId, cents, against, ...booking }: CustomerBooking,
  ): Promise<number | null> {
    const own = { kind: 'customer', accountId, cents } as const;
    await this.lock(transaction, [own, { ...own, kind: 'receivable' }, ...against]);
    const { balanceCents, heldCents, owedCents } = await this.balanceOf(accountId, transaction);
    const toBalance =
      cents > 0 ? Math.max(0, cents - owedCents) : Math.max(cents, Math.min(0, heldCents - balanceCents));
    const entries: Entry[] = [
      { ...own, cents: toBalance },
      { kind: 'receivable', accountId, cents: cents - toBalance },
      ...against,
    ];
    return (await this.post(transaction, { ...booking, entries })) ? toBalance : null;
  }

  /** A movement that customers get a receipt for gets its number. @returns false where its source is booked already */
  async post(transaction: Queryable, booking: Booking): Promise<boolean> {
    const [, isBooked] = await Promise.all([
      this.lock(transaction, entriesOf(booking)),
      this.book(transaction, booking),
    ]);
    return isBooked;
  }

  /**
   * Sent behind the lock of its accounts, whose ids it finds itself: it waits for no answer.
   *
   * @param held the id of a hold that ends with it; where there is none any more, nothing is booked
   */
  private async book(transaction: Queryable, booking: Booking, held?: string): Promise<boolean> {
    const entries = entriesOf(booking);
    const receipt = TRANSACTION_KINDS[booking.kind];
    const customer = receipt && entries.find((entry) => 'accountId' in entry);
    // Before the entries: a balance is never less than its holds.
    const captured = `UPDATE ledger_hold SET state = 'captured', ended_at = $4
                       WHERE id = $10 AND state = 'active' RETURNING id`;
    const rows = await transaction.kept(
      `WITH captured AS (${held === undefined ? 'SELECT' : captured}), booked AS (
         INSERT INTO ledger_transaction (kind, source, words, at) SELECT $1, $2, $3, $4 FROM captured
         ON CONFLICT (source) DO NOTHING RETURNING id
       ), numbered AS (
         INSERT INTO receipt (transaction_id, account_id, seller)
         SELECT id, $5::uuid, $6::jsonb FROM booked WHERE $5::uuid IS NOT NULL
       ), entered AS (
         INSERT INTO ledger_entry (transaction_id, ledger_account_id, cents, balance_after)
         SELECT id, CASE WHEN customer IS NULL
                  THEN (SELECT id FROM ledger_account WHERE kind = entry.kind AND account_id IS NULL)
                  ELSE (SELECT id FROM ledger_account WHERE kind = entry.kind AND account_id = customer) END, cents, 0
           FROM booked, unnest($7::text[], $8::uuid[], $9::bigint[]) AS entry (kind, customer, cents)
       )
       ${held === undefined ? 'SELECT id FROM booked' : CAPTURED}`,
      [
        ...[booking.kind, booking.source, booking.words, booking.at],
        ...[customer?.accountId ?? null, JSON.stringify(this.seller)],
        ...[...placesOf(entries), entries.map(({ cents }) => cents)],
        ...(held === undefined ? [] : [held]),
      ],
    );
    return rows.length > 0;
  }

  /**
   * Sets money aside. A hold never expires: its order ends it.
   *
   * @returns the free cents before; it is held if these are enough
   */
  async hold(transaction: Queryable, { id, accountId, cents, at }: Hold): Promise<number> {
    const [, [row]] = await Promise.all([
      lockKnown(transaction, [{ kind: 'customer', accountId }]),
      // A statement of its own: it sees what the lock waited for.
      transaction.kept<{ freeCents: number }>(
        `WITH free AS (
           SELECT greatest(0, coalesce(sum(balance_cents - held_cents), 0)) AS cents FROM ledger_account
            WHERE kind IN ('customer', 'receivable') AND account_id = $2
         ), held AS (
           INSERT INTO ledger_hold (id, ledger_account_id, cents, held_at)
           SELECT $1, id, $3::bigint, $4 FROM ledger_account, free
            WHERE kind = 'customer' AND account_id = $2 AND free.cents >= $3::bigint
         )
         SELECT cents::float8 AS "freeCents" FROM free`,
        [id, accountId, cents, at],
      ),
    ]);
    return row?.freeCents ?? 0;
  }

  /** Sets aside so much of the balance as no hold has, also of an account in debt. */
  async holdUpTo(transaction: Queryable, { id, accountId, cents: most, at }: Hold): Promise<void> {
    const [account = ''] = await lockKnown(transaction, [{ kind: 'customer', accountId }]);
    const { balanceCents, heldCents } = await this.balanceOf(accountId, transaction);
    const cents = Math.min(most, balanceCents - heldCents);
    if (cents > 0)
      await transaction.kept(
        'INSERT INTO ledger_hold (id, ledger_account_id, cents, held_at) VALUES ($1, $2, $3, $4)',
        [id, account, cents, at],
      );
  }

  /** Gives the money back. @returns false where the hold has ended, or never began */
  async release(transaction: Queryable, id: string, at: Date): Promise<boolean> {
    const rows = await transaction.kept(
      `UPDATE ledger_hold SET state = 'released', ended_at = $2 WHERE id = $1 AND state = 'active' RETURNING id`,
      [id, at],
    );
    return rows.length > 0;
  }

  /** Turns held money into a payment. @throws SQLSTATE ZB002 where the hold has ended, or the source is booked already */
  async capture(transaction: Queryable, id: string, booking: Booking): Promise<void> {
    const entries = entriesOf(booking);
    await Promise.all([
      // Its customer's account has the hold.
      this.openAndLock(transaction, ofService(entries), entries),
      this.book(transaction, booking, id),
    ]);
  }

  /** Opens those of the first that are missing, and locks the second. */
  private async openAndLock(
    transaction: Queryable,
    wanted: readonly Account[],
    locked: readonly Account[],
  ): Promise<void> {
    const missing = wanted.filter((one) => 'accountId' in one || !this.opened.has(one.kind));
    const [own, ids] = await Promise.all([openMissing(transaction, missing), lockKnown(transaction, locked)]);
    // A rollback takes an opened account with it: the next booking fails then, and the one after it opens the account.
    if (ids.includes(undefined)) this.opened.clear();
    else for (const { kind } of ofService(missing)) if (!own.includes(kind)) this.opened.add(kind);
  }

  private get seller(): Seller {
    return { ...this.config.orders.seller, isPlayMoney: this.config.payments.isPlayMoney };
  }

  /** The newest first; a debt counts against the balance. @param before the id of a row; null: from the newest */
  async statement(accountId: string, before: string | null, limit: number): Promise<StatementRow[]> {
    return this.database.kept<StatementRow & Record<string, unknown>>(
      `WITH own AS (
         SELECT id FROM ledger_account WHERE kind IN ('customer', 'receivable') AND account_id = $1
       ), moved AS (
         -- The last rows of each account by its index: no page reads the whole history.
         SELECT transaction_id AS id, sum(cents) AS cents
           FROM own CROSS JOIN LATERAL (
                  SELECT transaction_id, cents FROM ledger_entry
                   WHERE ledger_account_id = own.id AND transaction_id < coalesce($2::bigint, ${MAX_BIGINT})
                   ORDER BY transaction_id DESC LIMIT $3) AS entry
          GROUP BY transaction_id ORDER BY transaction_id DESC LIMIT $3
       )
       SELECT id::text, booked.at, booked.kind, booked.words, moved.cents${CENTS} AS cents,
              (SELECT sum((SELECT balance_after FROM ledger_entry
                            WHERE ledger_account_id = own.id AND transaction_id <= moved.id
                            ORDER BY transaction_id DESC LIMIT 1)) FROM own)${CENTS} AS "balanceCents",
              receipt.number::text AS receipt
         FROM moved JOIN ledger_transaction AS booked USING (id) LEFT JOIN receipt ON receipt.transaction_id = id
        ORDER BY moved.id DESC`,
      [accountId, before, limit],
    );
  }

  /** Computes every balance and hold again, every running balance, and what mandates spent, from entries and holds. */
  async prove(): Promise<Difference[]> {
    return this.database.query<Difference & Record<string, unknown>>(
      `WITH entries AS (
         SELECT ledger_account_id AS id, sum(cents) AS cents, bool_and(balance_after = running) AS is_running
           FROM (SELECT *, sum(cents) OVER (PARTITION BY ledger_account_id ORDER BY transaction_id) AS running
                   FROM ledger_entry) AS entry
          GROUP BY ledger_account_id
       ), holds AS (
         SELECT ledger_account_id AS id, sum(cents) AS cents FROM ledger_hold WHERE state = 'active' GROUP BY 1
       )
       SELECT 'account ' || account.id AS account,
              format('balance %s, entries %s; held %s, holds %s; running balances: %s',
                     balance_cents, coalesce(entries.cents, 0), held_cents, coalesce(holds.cents, 0),
                     coalesce(is_running, true)) AS words
         FROM ledger_account AS account LEFT JOIN entries USING (id) LEFT JOIN holds USING (id)
        WHERE balance_cents <> coalesce(entries.cents, 0) OR held_cents <> coalesce(holds.cents, 0)
           OR is_running = false
       UNION ALL
       SELECT 'transaction ' || id, 'its entries do not sum to zero'
         FROM ledger_transaction LEFT JOIN ledger_entry ON transaction_id = id
        GROUP BY id HAVING coalesce(sum(cents), 0) <> 0 OR count(cents) < 2
       UNION ALL
       SELECT 'mandate ' || mandate_id, format('%s counted in %s, holds %s', spent.cents, month, held.cents)
         FROM mandate_month AS spent FULL JOIN (
           SELECT mandate_id, mandate_month_of(approved_at) AS month, sum(hold.cents) AS cents
             FROM registration_order JOIN ledger_hold AS hold USING (id)
            WHERE mandate_id IS NOT NULL AND hold.state <> 'released' GROUP BY 1, 2) AS held USING (mandate_id, month)
        WHERE coalesce(spent.cents, 0) <> coalesce(held.cents, 0)`,
    );
  }
}

/** Raised by PostgreSQL, as COMMIT travels with it. */
const CAPTURED = `SELECT id FROM (SELECT) AS one LEFT JOIN booked ON true
        WHERE id IS NOT NULL OR end_statement('${ROW_CHANGED}', 'the hold of ' || $10::text || ' has ended already')`;

const entriesOf = ({ entries }: Booking) => entries.filter(({ cents }) => cents !== 0);

const ofService = (all: readonly Account[]) => all.filter((one) => !('accountId' in one));

/** @returns the kinds of the accounts that were opened */
async function openMissing(transaction: Queryable, accounts: readonly Account[]): Promise<LedgerKind[]> {
  if (accounts.length === 0) return [];
  const rows = await transaction.kept<{ kind: LedgerKind }>(
    `INSERT INTO ledger_account (kind, account_id)
     SELECT kind, account_id FROM unnest($1::text[], $2::uuid[]) AS wanted (kind, account_id)
      WHERE NOT EXISTS (SELECT FROM ledger_account AS known
                         WHERE known.kind = wanted.kind AND known.account_id IS NOT DISTINCT FROM wanted.account_id)
      ORDER BY kind, account_id
     ON CONFLICT DO NOTHING RETURNING kind`,
    placesOf(accounts),
  );
  return rows.map(({ kind }) => kind);
}

async function lockKnown(
  transaction: Queryable,
  entries: readonly Account[],
): Promise<(string | undefined)[]> {
  const [kinds, customers] = placesOf(entries);
  const rows = await transaction.kept<{ id: string; kind: string; account_id: string | null }>(
    `SELECT id::text, kind, account_id FROM ledger_account
      WHERE kind = ANY ($1::text[]) AND (account_id IS NULL OR account_id = ANY ($2::uuid[]))
      ORDER BY ledger_account.id FOR NO KEY UPDATE`,
    [kinds, customers],
  );
  return kinds.map(
    (kind, place) => rows.find((one) => one.kind === kind && one.account_id === customers[place])?.id,
  );
}

const placesOf = (entries: readonly Account[]) =>
  [
    entries.map(({ kind }) => kind),
    entries.map((entry) => ('accountId' in entry ? entry.accountId : null)),
  ] as const;
