import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { ReadDatabase } from '../replicas/read-database.js';
import type { Reading, ReadingSource } from './gauges.js';

/** How busy this process's connections are. */
@Injectable()
export class PoolReadings implements ReadingSource {
  readonly name = 'pools';

  constructor(
    private readonly database: Database,
    private readonly reads: ReadDatabase,
  ) {}

  read(): Promise<Reading[]> {
    const pools = { main: this.database.use, search: this.reads.searchUse };
    return Promise.resolve(
      Object.entries(pools).flatMap(([label, { lent, wanted }]) => [
        { gauge: 'database_connections_lent', label, value: lent },
        { gauge: 'database_connections_wanted', label, value: wanted },
      ]),
    );
  }
}
