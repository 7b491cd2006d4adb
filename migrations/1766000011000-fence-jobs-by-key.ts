import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * With the fence in a key, holding a lease for longer and locking it FOR KEY SHARE do not wait for each other, and only a change
 * of hands waits for work under way: an import of minutes would otherwise keep its own process from its lease.
 */
export class FenceJobsByKey1766000011000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE job_lease ADD CONSTRAINT job_lease_fence_key UNIQUE (name, fence)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE job_lease DROP CONSTRAINT job_lease_fence_key');
  }
}
