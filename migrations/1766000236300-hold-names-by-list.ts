import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A name may be on several lists of held names: one that lets it go does not release it from the others. */
export class HoldNamesByList1766000236300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE name_hold DROP CONSTRAINT name_hold_pkey, ADD PRIMARY KEY (domain, source)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM name_hold AS one USING name_hold AS other
       WHERE one.domain = other.domain AND (one.as_of, one.source) < (other.as_of, other.source)`);
    await runner.query('ALTER TABLE name_hold DROP CONSTRAINT name_hold_pkey, ADD PRIMARY KEY (domain)');
  }
}
