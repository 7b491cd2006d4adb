import Database from 'better-sqlite3';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

// SQLite has no index for shorter patterns; it reads names in the order of rank instead.
const SHORTEST_INDEXED = 3;

/** SQLite with its trigram index, the rows numbered in the order of rank, so that the first matches are the best. */
export class SqliteTrigram {
  static async load({ file, data, work }) {
    await rm(pathOf(work, data), { force: true });
    const database = openDatabase(pathOf(work, data));
    database.exec(`CREATE TABLE import (domain TEXT, wayback INTEGER, first_seen TEXT)`);
    const insert = database.prepare('INSERT INTO import VALUES (?, ?, ?)');
    database.exec('BEGIN');
    let isHeader = true;
    for await (const line of createInterface({ input: createReadStream(file) })) {
      if (!isHeader) {
        const [domain, wayback, firstSeen] = line.split(',');
        insert.run(domain, Number(wayback), firstSeen);
      }
      isHeader = false;
    }
    database.exec('COMMIT');
    database.exec(`
      CREATE TABLE domain (rank INTEGER PRIMARY KEY, domain TEXT, name TEXT, tld TEXT, wayback INTEGER, first_seen TEXT);
      INSERT INTO domain (domain, name, tld, wayback, first_seen)
      SELECT domain, substr(domain, 1, instr(domain, '.') - 1), substr(domain, instr(domain, '.') + 1), wayback, first_seen
        FROM import ORDER BY wayback DESC, domain;
      DROP TABLE import;
      CREATE VIRTUAL TABLE name_index USING fts5 (name, content = '', tokenize = 'trigram', detail = full);
      INSERT INTO name_index (rowid, name) SELECT rank, name FROM domain;
      INSERT INTO name_index (name_index) VALUES ('optimize');
      ANALYZE;`);
    database.close();
  }

  static async open({ data, work }) {
    return new SqliteTrigram(openDatabase(pathOf(work, data)));
  }

  constructor(database) {
    this.database = database;
    this.statements = new Map();
  }

  async ask({ q, mode, tld, minWayback, limit }) {
    const conditions = ['wayback >= @minWayback'];
    if (tld) conditions.push('tld = @tld');
    let from = 'domain';
    if (q !== undefined) {
      // GLOB is case-sensitive LIKE, and the trigram index is used by both.
      conditions.push('domain.name GLOB @glob');
      if (q.length >= SHORTEST_INDEXED) {
        from = 'name_index JOIN domain ON domain.rank = name_index.rowid';
        conditions.push('name_index MATCH @phrase');
      }
    }
    const order = from === 'domain' ? 'domain.rank' : 'name_index.rowid';
    const values = {
      minWayback,
      tld,
      limit,
      glob: q && { contains: `*${q}*`, prefix: `${q}*`, suffix: `*${q}` }[mode],
      phrase: `"${q}"`,
    };
    const rows = this.prepare(
      `SELECT domain.domain, domain.name, tld, wayback, first_seen FROM ${from}
        WHERE ${conditions.join(' AND ')} ORDER BY ${order} LIMIT @limit`,
    ).all(values);
    return { domains: rows.map(({ domain }) => domain), timedOut: false };
  }

  prepare(text) {
    const found = this.statements.get(text) ?? this.database.prepare(text);
    this.statements.set(text, found);
    return found;
  }

  async close() {
    this.database.close();
  }
}

function pathOf(work, data) {
  return join(work, `sqlite-${data}.db`);
}

function openDatabase(path) {
  const database = new Database(path);
  database.pragma('journal_mode = OFF');
  database.pragma('synchronous = OFF');
  database.pragma('mmap_size = 30000000000');
  return database;
}
