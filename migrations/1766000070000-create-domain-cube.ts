import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A data cube: how many names are on offer, cell by cell. Counts of search and facets are sums of its cells. */
export class CreateDomainCube1766000070000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Ten million names fill some 60,000 cells, of which 4,000 are sums over all months: the month comes first in the key, so that
    // whoever does not ask for days reads those alone. Room in every page for the next count of a cell.
    await runner.query(`
      CREATE TABLE domain_cube (
        -- Of first_seen; -infinity: the day is not known; infinity: the sum over all months.
        first_month date,
        tld text COLLATE "C",
        length smallint,
        hyphens boolean,
        numbers boolean,
        -- Lower limit of a band of wayback, those of the indexes domain_band_*.
        score integer,
        names integer NOT NULL,
        PRIMARY KEY (first_month, tld, length, hyphens, numbers, score)
      ) WITH (fillfactor = 70)`);
    // Every writer holds this row to its commit, so none of them commits between the count and this commit.
    await runner.query('SELECT FROM dataset FOR UPDATE');
    await runner.query(`
      WITH cell AS (
        SELECT coalesce(first_seen - (extract(day FROM first_seen)::integer - 1), '-infinity') AS first_month,
               tld, length, hyphens > 0 AS hyphens, digits > 0 AS numbers,
               CASE WHEN wayback >= 10000 THEN 10000 WHEN wayback >= 1000 THEN 1000 WHEN wayback >= 100 THEN 100
                    WHEN wayback >= 10 THEN 10 WHEN wayback >= 1 THEN 1 ELSE 0 END AS score,
               count(*)::integer AS names
          FROM domain
         WHERE available AND NOT hidden
         GROUP BY 1, 2, 3, 4, 5, 6
      )
      INSERT INTO domain_cube (first_month, tld, length, hyphens, numbers, score, names)
      SELECT * FROM cell
       UNION ALL
      SELECT 'infinity', tld, length, hyphens, numbers, score, sum(names) FROM cell GROUP BY 2, 3, 4, 5, 6
       ORDER BY 1, 2, 3, 4, 5, 6`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE domain_cube');
  }
}
