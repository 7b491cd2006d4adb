import pg from 'pg';

/**
 * A copy of the database with names in every queue: 7,500 on the lists of two days, 2,500 whose purge nobody has noted, 2,500 to be
 * confirmed, 42,500 unconfirmed, 5,000 to be asked again, 40,000 taken, 30,000 with a score; all others on offer and in the schedule
 * of re-checks, by moments that lie up to six weeks ahead. Made once.
 *
 * @returns its URL, and the time by which they wait
 */
export async function prepareWaitingNames(server, rows) {
  const name = `waiting_${rows}`;
  const url = server.urlOf(name);
  const { rows: found } = await ask(server.url, 'SELECT FROM pg_database WHERE datname = $1', [name]);
  if (found.length > 0) return { url, now: await readNow(url) };
  await ask(server.url, `CREATE DATABASE ${name}_part TEMPLATE bowerbird_${rows} STRATEGY file_copy`);
  const client = new pg.Client({ connectionString: server.urlOf(`${name}_part`) });
  await client.connect();
  for (const statement of STATEMENTS) await client.query(statement);
  await client.end();
  await ask(server.url, `ALTER DATABASE ${name}_part RENAME TO ${name}`);
  return { url, now: await readNow(url) };
}

async function readNow(url) {
  const { rows } = await ask(url, `SELECT ${TIME} AS now`);
  return rows[0].now;
}

async function ask(url, statement, values) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query(statement, values).finally(() => client.end());
}

// Three weeks after somebody vouched for the names.
const TIME = `(SELECT checked_at + interval '21 days 4 hours' FROM domain WHERE available AND confirmed_by LIKE 'vouched:%' LIMIT 1)`;
const STATEMENTS = [
  `SET maintenance_work_mem = '512MB'`,
  `CREATE TEMPORARY TABLE lot AS
   SELECT domain, row_number() OVER (ORDER BY hashtext(domain)) AS place
     FROM domain TABLESAMPLE BERNOULLI (least(100, 20000000.0 / greatest(1, (SELECT available_records FROM dataset)))) REPEATABLE (7)
    WHERE available AND NOT hidden`,
  'ANALYZE lot',
  `UPDATE domain
      SET state = CASE WHEN place <= 10000 THEN 'listed' WHEN place <= 12500 THEN 'purged' WHEN place <= 60000 THEN 'unconfirmed' ELSE 'taken' END,
          available = false, dropped_at = NULL, announced = announced AND place > 60000,
          confirmed_by = CASE WHEN place > 60000 THEN 'rdap' END, checked_at = CASE WHEN place > 60000 THEN ${TIME} END,
          list_kind = CASE WHEN place <= 12500 THEN 'expired' END,
          listed_at = CASE WHEN place <= 12500 THEN ${TIME} - interval '1 day' END,
          purge_at = CASE WHEN place <= 7500 THEN ${TIME} + interval '23 hours' + place % 2 * interval '1 day'
                          WHEN place <= 12500 THEN ${TIME} - interval '30 minutes' END,
          news_until = CASE WHEN place <= 12500 THEN ${TIME} + interval '7 days' END,
          ask_at = CASE WHEN place > 55000 AND place <= 60000 THEN ${TIME} - place * interval '1 second' END
     FROM lot WHERE lot.domain = domain.domain AND place <= 100000`,
  `UPDATE domain SET archive_status = 'ok', archive_captures = 3
     FROM lot WHERE lot.domain = domain.domain AND place > 100000 AND place <= 130000`,
  'UPDATE dataset SET available_records = (SELECT count(*) FROM domain WHERE available AND NOT hidden)',
  'DROP INDEX recheck_offered, recheck_stale, recheck_checked_at',
  'ALTER TABLE recheck DROP CONSTRAINT recheck_pkey',
  `INSERT INTO recheck (domain, ask_at, checked_at)
   SELECT domain, ${TIME} - interval '1 hour' + (hashtext(domain) & 65535) * interval '1 minute',
          checked_at - (hashtext(tld || name) & 8191) * interval '15 minutes'
     FROM domain WHERE available ORDER BY domain`,
  'ALTER TABLE recheck ADD PRIMARY KEY (domain)',
  'CREATE INDEX recheck_offered ON recheck (ask_at) WHERE offered',
  'CREATE INDEX recheck_stale ON recheck (ask_at) WHERE NOT offered',
  'CREATE INDEX recheck_checked_at ON recheck (checked_at) WHERE offered',
  'VACUUM ANALYZE domain',
  'VACUUM ANALYZE recheck',
];
