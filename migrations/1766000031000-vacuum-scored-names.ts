import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Names leave the queue of unscored ones at its head, and what they leave behind is read past until a vacuum: 100,000 dead entries
 * make the choice of the next name take 2.0 ms instead of 0.1 (10 M rows). By default a vacuum of so large a table waits for two
 * million.
 */
export class VacuumScoredNames1766000031000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE domain SET (autovacuum_vacuum_scale_factor = 0.01)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE domain RESET (autovacuum_vacuum_scale_factor)`);
  }
}
