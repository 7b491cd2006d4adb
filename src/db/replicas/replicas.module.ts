import { Global, Logger, Module } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Database } from '../database.js';
import { ReadDatabase } from './read-database.js';

@Global()
@Module({
  providers: [
    {
      provide: ReadDatabase,
      inject: [Database, Config],
      useFactory: (database: Database, config: Config) => {
        const logger = new Logger('Database');
        return ReadDatabase.open(database, config, (error) =>
          logger.warn(`A search connection was lost: ${error.message}`),
        );
      },
    },
  ],
  exports: [ReadDatabase],
})
export class ReplicasModule {}
