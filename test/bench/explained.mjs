import { cpuMsOfBackend } from './backend-cpu.mjs';

/** Stands for the product's Database: one connection, whose statements are timed, and whose transactions are rolled back. */
export class ExplainedDatabase {
  /** Of each statement since the last look: its first words, planning and execution in ms by EXPLAIN ANALYZE, and the plan. */
  statements = [];
  #client;
  #pid;

  static async of(client) {
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    return new ExplainedDatabase(client, rows[0].pid);
  }

  constructor(client, pid) {
    this.#client = client;
    this.#pid = pid;
  }

  query = (sql, values = []) => this.transaction((transaction) => transaction.query(sql, values));

  async transaction(work) {
    await this.#client.query('BEGIN');
    try {
      return await work({ query: (sql, values = []) => this.#explain(sql, values) });
    } finally {
      await this.#client.query('ROLLBACK');
    }
  }

  /** Asks once for the plan and once for the answer, which later statements may depend on. */
  async #explain(sql, values) {
    await this.#client.query('SAVEPOINT explained');
    const cpu = await cpuMsOfBackend(this.#pid);
    const { rows } = await this.#client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`, values);
    const cpuMs = (await cpuMsOfBackend(this.#pid)) - cpu;
    await this.#client.query('ROLLBACK TO SAVEPOINT explained');
    const [explained] = rows[0]['QUERY PLAN'];
    this.statements.push({
      sql: sql.replaceAll(/\s+/g, ' ').trim(),
      planning: explained['Planning Time'],
      execution: explained['Execution Time'],
      cpu: cpuMs,
      plan: explained.Plan,
    });
    return (await this.#client.query(sql, values)).rows;
  }

  take() {
    return this.statements.splice(0);
  }
}
