import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Offers of an age are drawn on their own. */
export class SampleByAge1766000244000 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return constrain(runner, ['all', 'top_100', 'top_1000', 'top_10000', 'age']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM truth_sample WHERE stratum = 'age'`);
    await constrain(runner, ['all', 'top_100', 'top_1000', 'top_10000']);
  }
}

async function constrain(runner: QueryRunner, strata: readonly string[]): Promise<void> {
  await runner.query(`
    ALTER TABLE truth_sample
      DROP CONSTRAINT truth_sample_stratum_check,
      ADD CONSTRAINT truth_sample_stratum_check CHECK (stratum IN (${strata.map((one) => `'${one}'`).join(', ')}))`);
}
