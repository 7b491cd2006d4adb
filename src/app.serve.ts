import type { INestApplicationContext } from '@nestjs/common';
import { createLogger } from './app.logger.js';
import { createApp, listen } from './app.setup.js';
import { type Config, ConfigError } from './config/config.js';

export interface ServeHooks {
  /** Called when the application is built and not yet listening. */
  readonly prepare?: (app: INestApplicationContext) => Promise<void>;
  /** Called when requests are answered, with the address. */
  readonly onListening?: (address: string) => void;
}

/**
 * Runs the service until the process is told to stop. What keeps it from starting is said in one plain message on
 * standard error, with exit code 1.
 */
export async function serve(read: () => Config, hooks: ServeHooks = {}): Promise<void> {
  try {
    const config = read();
    const logger = createLogger(config.logLevel);
    const app = await createApp(config, logger);
    try {
      await hooks.prepare?.(app);
      const port = await listen(app, config);
      logger.info({ host: config.http.host, port }, 'listening');
      hooks.onListening?.(`http://${config.http.host}:${port}`);
    } catch (error) {
      await app.close();
      throw error;
    }
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = 1;
  }
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE')
    return `The port is taken (${error.message}). Set PORT to another one.`;
  if ('code' in error && error.code === 'EACCES')
    return `The port cannot be opened (${error.message}). Set PORT to 1024 or above.`;
  return `Bowerbird could not start: ${error.message}`;
}
