import { dump } from 'js-yaml';
import { type INestApplicationContext, type LoggerService, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { userInfo } from 'node:os';
import type { Config } from '../../../config/config.js';
import { ConfigModule } from '../../../config/config.js';
import { DatabaseModule } from '../../../db/database.module.js';
import { HeldSignals } from '../../../config/shutdown-signals.js';
import type { Order } from '../../http/order.js';
import { WorkModule } from '../../../work/work.module.js';
import { OperatorsModule } from '../../http/operators.module.js';
import { RedisModule } from '../../../redis/redis.module.js';
import { ReplicasModule } from '../../../db/replicas/replicas.module.js';
import { TiersModule } from '../../../access/tiers.module.js';
import { readOperatorConfig } from '../operator-config.js';
import type { OrderFlags } from '../order-flags.js';
import { stderrLog } from '../stderr-log.js';

@Module({})
class CommandModule {}

/** Lends a service of the operators to `work`: what the command line does is what /ops/v1 does. */
export async function withOperators<Service, Result>(
  service: Type<Service>,
  work: (service: Service) => Promise<Result>,
): Promise<Result> {
  const config = silent(await readOperatorConfig());
  const signals = new HeldSignals(config.database);
  try {
    const app = await openServices(config);
    try {
      return await work(app.get(service));
    } finally {
      await app.close();
    }
  } finally {
    signals.release();
  }
}

/** Prints what a service answers, as YAML: the same fields that /ops/v1 has as JSON. */
export function print(answer: object): void {
  const told = Object.entries(answer).filter(([name]) => name !== 'ok');
  process.stdout.write(dump(JSON.parse(JSON.stringify(Object.fromEntries(told))), { lineWidth: 120 }));
}

/** What is done from here is done by the user of this process, unless they say who they are. */
export function orderOf({ by = userInfo().username, reason }: OrderFlags): Order {
  return { actor: `command:${by}`, from: null, reason };
}

function openServices(config: Config): Promise<INestApplicationContext> {
  const module = {
    module: CommandModule,
    imports: [
      ConfigModule.with(config),
      DatabaseModule,
      RedisModule,
      ReplicasModule,
      TiersModule.with(config),
      WorkModule,
      OperatorsModule,
    ],
  };
  return NestFactory.createApplicationContext(module, { logger: QUIET, abortOnError: false });
}

/** A command asks nobody outside about anything by itself. */
function silent(config: Config): Config {
  return { ...config, registry: { ...config.registry, canaries: [], bootstrapUrl: undefined } };
}

const say = (message: unknown) => stderrLog.warn(String(message));
const QUIET: LoggerService = { log: () => undefined, warn: say, error: say };
