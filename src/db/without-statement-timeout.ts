import { createDataSource } from './data-source.js';
import { Database } from './database.js';

/** The work itself, and a second one to cancel it. */
const CONNECTIONS = 2;

/**
 * Lends connections whose statements may take their time. Those of the service end after three seconds, which a caller who waits
 * is glad of and an import, which nobody waits for, is not.
 */
export async function withoutStatementTimeout<Result>(
  { directUrl }: Pick<Database, 'directUrl'>,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const dataSource = await createDataSource(directUrl, CONNECTIONS, () => undefined).initialize();
  try {
    return await work(new Database(dataSource));
  } finally {
    await dataSource.destroy();
  }
}
