import { Injectable } from '@nestjs/common';
import { Database } from '../../../db/database.js';
import type { NameEvidence } from './dataset.dto.js';

/** All that is stored of one name, in one statement: every part is found by an index, but for the samples. */
@Injectable()
export class EvidenceRepository {
  constructor(private readonly database: Database) {}

  async read(domain: string): Promise<Omit<NameEvidence, 'ok' | 'domain'>> {
    const [row] = await this.database.query<{ evidence: Omit<NameEvidence, 'ok' | 'domain'> }>(READ, [
      domain,
    ]);
    if (!row) throw new Error('a statement without FROM gave no row');
    return row.evidence;
  }
}

const one = (table: string) => `(SELECT to_jsonb(found) FROM ${table} AS found WHERE domain = $1)`;
const some = (rows: string) => `(SELECT coalesce(jsonb_agg(to_jsonb(found)), '[]') FROM (${rows}) AS found)`;

const READ = `
  SELECT jsonb_build_object(
    'row', ${one('domain')},
    'registry_answer', ${one('registry_answer')},
    'recheck', ${one('recheck')},
    'question_failure', ${one('question_failure')},
    'archive', ${one('domain_archive')},
    'events', ${some('SELECT number, type, occurred_at FROM domain_event WHERE domain = $1 ORDER BY number DESC LIMIT 200')},
    'samples', ${some('SELECT asked_at, stratum, outcome FROM truth_sample WHERE domain = $1 ORDER BY id DESC LIMIT 50')},
    'audit', ${some(`SELECT at, actor, action, reason FROM audit_log WHERE subject = 'domain:' || $1 ORDER BY id DESC LIMIT 50`)}
  ) AS evidence`;
