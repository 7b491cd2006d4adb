import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What accounts watch, what is to be told them of it, and how far events have been matched with it. */
export class CreateWatches1766000160000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE watch (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        -- Either a name, or a search as its address has it: only what differs from the defaults, in the order of the fields.
        domain text COLLATE "C",
        question text COLLATE "C",
        event_types text[] NOT NULL,
        -- Events up to this number are none of its business.
        after_event bigint NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CHECK (num_nonnulls(domain, question) = 1),
        -- Nobody is told twice for having asked twice.
        UNIQUE (account_id, domain),
        UNIQUE (account_id, question)
      )`);
    // Serves the matching of names with events.
    await runner.query('CREATE INDEX watch_domain ON watch (domain) WHERE domain IS NOT NULL');

    // One row for each account that has watched anything: how it is told, and its mailbox.
    await runner.query(`
      CREATE TABLE watcher (
        account_id uuid PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
        mails text NOT NULL DEFAULT 'at_once' CHECK (mails IN ('at_once', 'daily', 'off')),
        -- Part of the address of the feed: another number is another address.
        feed_generation integer NOT NULL DEFAULT 1,
        -- When the next mail is to go; null while there is nothing to tell.
        mail_due_at timestamptz,
        -- Whoever writes the mail holds it until then; a process that died holds it no longer than that.
        held_until timestamptz,
        -- How often the mail that waits has failed.
        failures smallint NOT NULL DEFAULT 0,
        -- Why mails were switched off, where the owner has not done so.
        problem text,
        mailed_at timestamptz,
        -- Mails of that day, which are bounded.
        mail_day date,
        mails_of_day smallint NOT NULL DEFAULT 0
      )`);
    await runner.query('CREATE INDEX watcher_due ON watcher (mail_due_at) WHERE mail_due_at IS NOT NULL');

    await runner.query(`
      CREATE TABLE watch_notice (
        account_id uuid REFERENCES account (id) ON DELETE CASCADE,
        -- Number in domain_event. One notice for each account and event, however many of its watches match.
        event bigint,
        type text NOT NULL,
        domain text COLLATE "C" NOT NULL,
        occurred_at timestamptz NOT NULL,
        watches uuid[] NOT NULL,
        mail text NOT NULL CHECK (mail IN ('waiting', 'sent', 'none')),
        made_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (account_id, event)
      )`);
    await runner.query(
      `CREATE INDEX watch_notice_waiting ON watch_notice (account_id, event) WHERE mail = 'waiting'`,
    );
    // Serves the purge.
    await runner.query('CREATE INDEX watch_notice_age ON watch_notice (made_at)');

    // How far events were matched. One row, from the first watch on, and whoever holds it matches.
    await runner.query(`
      CREATE TABLE watch_outbox (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        last_event bigint NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE watch_outbox, watch_notice, watcher, watch');
  }
}
