import { Global, Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock, Database } from './database.js';
import { openDatabase, type OpenDatabase } from './open-database.js';

const OPEN_DATABASE = Symbol('OpenDatabase');

/** Opens the database before anything else starts, and closes it when the last request has been answered. */
@Global()
@Module({
  providers: [
    {
      provide: OPEN_DATABASE,
      inject: [Config],
      useFactory: (config: Config) =>
        openDatabase(config.database, new Logger('Database'), { timeoutMs: config.database.timeoutMs }),
    },
    { provide: Database, inject: [OPEN_DATABASE], useFactory: (open: OpenDatabase) => open.database },
    Clock,
  ],
  exports: [Database, Clock],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(OPEN_DATABASE) private readonly open: OpenDatabase) {}

  /** Runs after the HTTP server has closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.open.close();
  }
}
