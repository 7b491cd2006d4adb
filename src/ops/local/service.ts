import { dump } from 'js-yaml';
import { type LoggerService, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { userInfo } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { TiersModule } from '../../access/tiers.module.js';
import { type Config, ConfigModule } from '../../config/config.js';
import { ShutdownSignals } from '../../config/shutdown-signals.js';
import { DatabaseModule } from '../../db/open-database.js';
import { ReplicasModule } from '../../db/replicas/read-database.js';
import { RedisModule } from '../../redis/redis.module.js';
import { WorkModule } from '../../work/work.module.js';
import type { CsvText, ServiceCommand } from '../command.js';
import { OperatorServices, OperatorsModule } from '../operators.module.js';
import { readOperatorConfig, stderrLog } from './database.js';

/** Who runs a command, and why. */
interface By {
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
}

/** Runs a command as /ops/v1 does, and prints its answer. */
export async function runCommand(
  command: ServiceCommand,
  values: Readonly<Record<string, unknown>>,
  { by = userInfo().username, reason = '' }: By,
): Promise<void> {
  const { action, print, file } = command;
  const ordered = action === undefined ? undefined : { actor: `command:${by}`, from: null, reason, action };
  await withServices(async (services) => {
    const answer = await command.run(services, values, ordered);
    if (file !== undefined) await printFile(answer as CsvText);
    else process.stdout.write(print ? print(answer, values) : yamlOf(answer as object));
  });
}

/** The same fields as the JSON of /ops/v1. */
function yamlOf(answer: object): string {
  const fields = Object.entries(answer).filter(([name]) => name !== 'ok');
  return dump(JSON.parse(JSON.stringify(Object.fromEntries(fields))), { lineWidth: 120 });
}

async function printFile(text: CsvText): Promise<void> {
  if (typeof text === 'string') process.stdout.write(text);
  else await pipeline(text, process.stdout, { end: false });
}

@Module({})
class CommandModule {}

async function withServices(work: (services: OperatorServices) => Promise<void>): Promise<void> {
  const config = silent(await readOperatorConfig());
  const signals = new ShutdownSignals(config.database);
  try {
    const modules = [ConfigModule.with(config), DatabaseModule, RedisModule, ReplicasModule];
    const app = await NestFactory.createApplicationContext(
      { module: CommandModule, imports: [...modules, TiersModule.with(config), WorkModule, OperatorsModule] },
      { logger: QUIET, abortOnError: false },
    );
    try {
      await work(app.get(OperatorServices));
    } finally {
      await app.close();
    }
  } finally {
    signals.release();
  }
}

/** A command makes no requests to registries by itself. */
function silent(config: Config): Config {
  return { ...config, registry: { ...config.registry, canaries: [], bootstrapUrl: undefined } };
}

const say = (message: unknown) => stderrLog.warn(String(message));
const QUIET: LoggerService = { log: () => undefined, warn: say, error: say };
