import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  domain_rank: '(tld, wayback DESC, domain)',
  domain_length: '(length, wayback DESC, domain)',
};

/** A name that is met by its rank or its length is not read from the table for its first day. */
export class FirstDaysBesideRanks1766000239100 implements MigrationInterface {
  // The indexes are built while the service reads and writes (CONCURRENTLY), which no transaction can do. After a kill all is done
  // again by the next start.
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return rebuild(runner, ' INCLUDE (first_seen)');
  }

  down(runner: QueryRunner): Promise<void> {
    return rebuild(runner, '');
  }
}

async function rebuild(runner: QueryRunner, included: string): Promise<void> {
  // TypeORM takes migrations back in a transaction, whatever they say.
  const mode = runner.isTransactionActive ? '' : 'CONCURRENTLY';
  // Memory of the server, as for an import.
  await runner.query(`SET maintenance_work_mem = '512MB'`);
  for (const [index, columns] of Object.entries(INDEXES)) {
    // What a killed build leaves.
    await runner.query(`DROP INDEX ${mode} IF EXISTS ${index}_new`);
    await runner.query(
      `CREATE INDEX ${mode} ${index}_new ON domain ${columns}${included} WHERE available AND NOT hidden`,
    );
    await runner.query(`DROP INDEX ${mode} IF EXISTS ${index}`);
    await runner.query(`ALTER INDEX ${index}_new RENAME TO ${index}`);
  }
  await runner.query('RESET maintenance_work_mem');
}
