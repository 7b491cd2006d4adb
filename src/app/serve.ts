import type { INestApplicationContext } from '@nestjs/common';
import { setFlagsFromString } from 'node:v8';
import { HttpAdapter } from './http-adapter.js';
import { createLogger } from './logger.js';
import { createApp, listen } from './setup.js';
import { giveNotice } from './shutdown.js';
import { logProblems } from '../ops/doctor.js';
import { Database } from '../db/database.js';
import { ConfigError } from '../config/read-config.js';
import type { Config } from '../config/config.js';
import { hasCode, messageOf } from '../validation/unknown-values.js';
import { ShutdownSignals } from '../config/shutdown-signals.js';

/**
 * Growth of V8's old generation, in percent of the live heap, before the next collection. V8's own choice is
 * larger on a machine with much memory: after 27,000 requests 250 MB of 430 were garbage (docs/BOUNDS.md).
 */
const HEAP_GROWTH_PERCENT = 30;

/**
 * V8 allocates in the old generation where earlier objects from the same line of code lived long, as the listeners of
 * the first connections do. Each such listener kept its request until the next full collection, and every scavenge
 * copied the requests of its time: a third of a refusal's CPU.
 */
const NO_PRETENURING = '--no-allocation-site-pretenuring';

export interface ServeHooks {
  /** Called when the application is built and not yet listening. */
  readonly prepare?: (app: INestApplicationContext) => Promise<void>;
  /** Called when requests are answered, with the address. */
  readonly onListening?: (address: string, config: Config) => void;
  /** Whether the log of the start names each problem of the installation. */
  readonly examines?: boolean;
}

/**
 * Runs the service until it is stopped. A failed start is explained in one message on standard error, with exit
 * code 1.
 */
export async function serve(read: () => Config, hooks: ServeHooks = {}): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  setFlagsFromString(NO_PRETENURING);
  try {
    const config = read();
    const signals = new ShutdownSignals(config.database);
    try {
      await start(config, hooks, signals);
    } catch (error) {
      if (!signals.isTold) throw error;
    } finally {
      signals.release();
    }
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = 1;
  }
}

async function start(config: Config, hooks: ServeHooks, signals: ShutdownSignals): Promise<void> {
  const logger = createLogger(config.logLevel);
  logger.info({ node: process.versions.node, pid: process.pid, parts: partsOf(config) }, 'starting');
  const app = await createApp(config, logger);
  try {
    await hooks.prepare?.(app);
    const { shutdownNoticeMs } = config.http;
    const notice = (hurry: AbortSignal) => giveNotice(app, shutdownNoticeMs, hurry);
    if (!(await signals.handTo(app, shutdownNoticeMs > 0 ? notice : undefined))) return;
    const port = await listen(app, config).catch((error: unknown) => {
      throw new Error(whyNotListening(error, config), { cause: error });
    });
    const adapter = app.getHttpAdapter();
    if (adapter instanceof HttpAdapter)
      await adapter
        .acceptFaster()
        .catch((error: unknown) =>
          logger.warn(`New connections are accepted one by one: ${messageOf(error)}`),
        );
    logger.info({ host: config.http.host, port }, 'listening');
    hooks.onListening?.(`http://${config.http.host}:${port}`, config);
    if (hooks.examines) await logProblems(config, app.get(Database), logger);
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** The parts that are switched on. */
function partsOf({ auth, webhooks, exports, jobs }: Config): string[] {
  return Object.entries({ auth, webhooks, exports, jobs }).flatMap(([part, { enabled }]) =>
    enabled ? [part] : [],
  );
}

function explain(error: unknown): string {
  return error instanceof ConfigError ? error.message : `Bowerbird could not start: ${messageOf(error)}`;
}

function whyNotListening(error: unknown, { http: { host, port } }: Config): string {
  if (hasCode(error, 'EADDRINUSE'))
    return `PORT ${port} is taken (${messageOf(error)}). Set it to another one.`;
  if (hasCode(error, 'EACCES'))
    return `PORT ${port} may not be opened (${messageOf(error)}). Set it to 1024 or above.`;
  return `HOST ${host} cannot be listened on (${messageOf(error)}).`;
}
