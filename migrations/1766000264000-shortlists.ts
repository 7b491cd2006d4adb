import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names that an account keeps on its shortlist, the newest first. */
export class Shortlists1766000264000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE shortlist_name (
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        domain text COLLATE "C" NOT NULL,
        added_at timestamptz NOT NULL,
        PRIMARY KEY (account_id, domain)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE shortlist_name');
  }
}
