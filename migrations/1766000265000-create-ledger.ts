import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The money of customers: append-only, double entry, in whole cents of AUD. Credits are positive, debits negative.
 * Triggers keep the balances, so no statement can set one.
 */
export class CreateLedger1766000265000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ledger_account (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text NOT NULL,
        -- Of a customer's; without a foreign key: entries remain when the account is removed.
        account_id uuid,
        balance_cents bigint NOT NULL DEFAULT 0,
        held_cents bigint NOT NULL DEFAULT 0 CHECK (held_cents >= 0),
        UNIQUE NULLS NOT DISTINCT (kind, account_id),
        CHECK (kind <> 'customer' OR balance_cents >= held_cents)
      )`);
    await runner.query(`
      CREATE TABLE ledger_transaction (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text NOT NULL,
        -- What it was booked for, such as a payment: booked once.
        source text NOT NULL UNIQUE,
        words text NOT NULL,
        at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE ledger_entry (
        transaction_id bigint NOT NULL REFERENCES ledger_transaction (id),
        ledger_account_id bigint NOT NULL REFERENCES ledger_account (id),
        cents bigint NOT NULL CHECK (cents <> 0),
        balance_after bigint NOT NULL,
        PRIMARY KEY (transaction_id, ledger_account_id)
      )`);
    // The statement of an account.
    await runner.query(
      'CREATE INDEX ledger_entry_account ON ledger_entry (ledger_account_id, transaction_id)',
    );
    await runner.query(`
      CREATE TABLE ledger_hold (
        -- Of the order.
        id uuid PRIMARY KEY,
        ledger_account_id bigint NOT NULL REFERENCES ledger_account (id),
        cents bigint NOT NULL CHECK (cents > 0),
        state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'captured', 'released')),
        held_at timestamptz NOT NULL,
        ended_at timestamptz,
        CHECK ((state = 'active') = (ended_at IS NULL))
      )`);
    await runner.query(
      `CREATE INDEX ledger_hold_active ON ledger_hold (ledger_account_id) WHERE state = 'active'`,
    );
    await runner.query(`
      CREATE FUNCTION ledger_apply_entry() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE ledger_account SET balance_cents = balance_cents + NEW.cents
         WHERE id = NEW.ledger_account_id RETURNING balance_cents INTO NEW.balance_after;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER ledger_apply_entry BEFORE INSERT ON ledger_entry
        FOR EACH ROW EXECUTE FUNCTION ledger_apply_entry()`);
    await runner.query(`
      CREATE FUNCTION ledger_apply_hold() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN
          IF NEW.state <> 'active' THEN
            RAISE EXCEPTION 'a hold begins active' USING ERRCODE = '23514';
          END IF;
          UPDATE ledger_account SET held_cents = held_cents + NEW.cents WHERE id = NEW.ledger_account_id;
        ELSE
          IF OLD.state <> 'active' OR NEW.state = 'active'
             OR (NEW.id, NEW.ledger_account_id, NEW.cents, NEW.held_at)
                <> (OLD.id, OLD.ledger_account_id, OLD.cents, OLD.held_at) THEN
            RAISE EXCEPTION 'a hold ends once and changes in nothing else' USING ERRCODE = '23514';
          END IF;
          UPDATE ledger_account SET held_cents = held_cents - OLD.cents WHERE id = OLD.ledger_account_id;
        END IF;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER ledger_apply_hold BEFORE INSERT OR UPDATE ON ledger_hold
        FOR EACH ROW EXECUTE FUNCTION ledger_apply_hold()`);
    await runner.query(`
      CREATE FUNCTION ledger_assert_zero() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        own bigint := CASE TG_TABLE_NAME WHEN 'ledger_entry' THEN (to_jsonb(NEW) ->> 'transaction_id')::bigint
                           ELSE (to_jsonb(NEW) ->> 'id')::bigint END;
        total numeric;
        entries integer;
      BEGIN
        SELECT coalesce(sum(cents), 0), count(*) INTO total, entries FROM ledger_entry WHERE transaction_id = own;
        IF total <> 0 OR entries < 2 THEN
          RAISE EXCEPTION 'transaction % has % entries, which sum to % cents', own, entries, total
            USING ERRCODE = '23514';
        END IF;
        RETURN NULL;
      END $$`);
    for (const table of ['ledger_transaction', 'ledger_entry'])
      await runner.query(`
        CREATE CONSTRAINT TRIGGER ${table}_zero AFTER INSERT ON ${table} DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION ledger_assert_zero()`);
    await runner.query(`
      CREATE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '% of % is refused: the ledger is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = '55000';
      END $$`);
    for (const [table, changes] of [
      ['ledger_transaction', 'UPDATE OR DELETE OR TRUNCATE'],
      ['ledger_entry', 'UPDATE OR DELETE OR TRUNCATE'],
      ['ledger_hold', 'DELETE OR TRUNCATE'],
      ['ledger_account', 'DELETE OR TRUNCATE'],
    ] as const)
      await runner.query(`
        CREATE TRIGGER ${table}_append_only BEFORE ${changes} ON ${table}
          FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()`);
    // Only the triggers of entries and holds move a balance.
    await runner.query(`
      CREATE TRIGGER ledger_account_by_trigger BEFORE UPDATE ON ledger_account
        FOR EACH ROW WHEN (pg_trigger_depth() < 1) EXECUTE FUNCTION ledger_refuse()`);
    await runner.query(`
      CREATE TRIGGER ledger_account_begins_empty BEFORE INSERT ON ledger_account
        FOR EACH ROW WHEN (NEW.balance_cents <> 0 OR NEW.held_cents <> 0) EXECUTE FUNCTION ledger_refuse()`);
    // Each row is a reason why no order begins; without rows ordering goes on.
    await runner.query(`
      CREATE TABLE ordering_stop (
        reason text PRIMARY KEY,
        words text NOT NULL,
        since timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE ordering_stop, ledger_hold, ledger_entry, ledger_transaction, ledger_account',
    );
    await runner.query(
      'DROP FUNCTION ledger_apply_entry(), ledger_apply_hold(), ledger_assert_zero(), ledger_refuse()',
    );
  }
}
