import { readFileSync } from 'node:fs';
import { messageOf } from '../validation/unknown-values.js';
import { Config } from './config.js';
import { InvalidSetting, isSet, readSetting } from './setting.js';
import { isSettingName, SECRETS, SETTING_NAMES, SETTINGS, type Values } from './settings.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown by readConfig; `problems` has one line for each setting that is wrong. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

/**
 * Reads and checks the environment.
 *
 * @throws {ConfigError} naming every problem at once
 */
export function readConfig(environment: Environment): Config {
  const problems: string[] = [];
  const values = SETTING_NAMES.map((name) => {
    const text = environment[name];
    try {
      return [name, readSetting(SETTINGS[name], isSet(SETTINGS[name], text) ? text : undefined)];
    } catch (error) {
      if (!(error instanceof InvalidSetting)) throw error;
      problems.push(...explain(name, text, error));
      return [name, undefined];
    }
  });
  // ValuesOf gives the types, which Object.fromEntries cannot follow.
  const read = Object.fromEntries(values) as Values;
  if (problems.length === 0) problems.push(...problemsBetween(read));
  if (problems.length > 0) throw new ConfigError(problems);
  return new Config(read);
}

function explain(name: string, text: string | undefined, { expected }: InvalidSetting): readonly string[] {
  if (typeof expected !== 'string') return expected;
  const isSecret = SECRETS.some((secret) => secret === name) || /:\/\/[^/]*@/.test(text ?? '');
  return [`${name} must be ${expected}${isSecret ? '' : `, not ${JSON.stringify(text)}`}`];
}

/** Settings that need or exclude each other. */
function problemsBetween(values: Values): string[] {
  const problems: string[] = [];
  if (values.AUTH && values.AUTH_SECRET === undefined)
    problems.push('AUTH=on needs AUTH_SECRET; `openssl rand -base64 32` makes one');
  if (values.LIST_DELETED_URLS.some((url) => values.LIST_EXPIRED_URLS.includes(url)))
    problems.push('LIST_DELETED_URLS and LIST_EXPIRED_URLS must not name the same address');
  if (values.DATABASE_DIRECT_URL !== undefined && values.DATABASE_URL === undefined)
    problems.push('DATABASE_DIRECT_URL needs DATABASE_URL, which leads to the same server');
  if (values.DATABASE_REPLICA_URLS.length > 0 && values.DATABASE_URL === undefined)
    problems.push('DATABASE_REPLICA_URLS needs DATABASE_URL, which they are replicas of');
  if (values.BACKUP_DIR !== undefined && values.BACKUP_S3_URL !== undefined)
    problems.push('BACKUP_DIR and BACKUP_S3_URL exclude each other: set one of them');
  if ((values.BACKUP_DIR ?? values.BACKUP_S3_URL) !== undefined && values.BACKUP_KEY === undefined)
    problems.push('BACKUP_DIR and BACKUP_S3_URL need BACKUP_KEY; `openssl rand -base64 32` makes one');
  if (values.WEBHOOKS && !values.AUTH) problems.push('WEBHOOKS=on needs AUTH=on');
  if (values.WEBHOOKS && values.WEBHOOK_SECRET_KEY === undefined)
    problems.push('WEBHOOKS=on needs WEBHOOK_SECRET_KEY; `openssl rand -base64 32` makes one');
  if (values.STRIPE_WEBHOOK_SECRET !== undefined && !values.AUTH)
    problems.push('STRIPE_WEBHOOK_SECRET needs AUTH=on');
  if (values.EXPORTS && !values.AUTH) problems.push('EXPORTS=on needs AUTH=on');
  const missing = (['EPP_CLIENT', 'EPP_PASSWORD', 'EPP_CERTIFICATE', 'EPP_KEY'] as const).filter(
    (name) => values[name] === undefined,
  );
  if (values.EPP_ADDRESS !== undefined && missing.length > 0)
    problems.push(`EPP_ADDRESS needs ${missing.join(', ')}`);
  if (values.STRIPE_API_KEY !== undefined && values.STRIPE_WEBHOOK_SECRET === undefined)
    problems.push('STRIPE_API_KEY needs STRIPE_WEBHOOK_SECRET: only signed events credit a top-up');
  if (values.ORDERS && !values.AUTH) problems.push('ORDERS=on needs AUTH=on');
  if (values.ORDERS && values.ORDER_SECRET_KEY === undefined)
    problems.push('ORDERS=on needs ORDER_SECRET_KEY; `openssl rand -base64 32` makes one');
  return problems;
}

/**
 * The configuration of this process: the one place in `src/` that reads process.env. Secrets may be given as
 * files.
 *
 * @param defaults apply where the environment sets nothing
 * @param fixed override the environment
 * @throws {ConfigError}
 */
export function readProcessConfig(defaults: Environment = {}, fixed: Environment = {}): Config {
  const set = Object.entries(process.env).filter(([name, text]) =>
    isSet(isSettingName(name) ? SETTINGS[name] : undefined, text),
  );
  return readConfig({ ...defaults, ...withSecretFiles(Object.fromEntries(set)), ...fixed });
}

/**
 * Fills in secrets that are given as files, as containers get them: DATABASE_URL_FILE=/run/secrets/database_url.
 * One line ending at the end of the file is dropped.
 *
 * @throws {ConfigError} when a file cannot be read, or the secret is given twice
 */
export function withSecretFiles(environment: Environment): Environment {
  const fromFiles = SECRETS.flatMap((name) => {
    const path = environment[`${name}_FILE`];
    if (!path) return [];
    if (environment[name])
      throw new ConfigError([`${name} and ${name}_FILE exclude each other: set one of them`]);
    return [[name, readSecret(name, path)] as const];
  });
  return { ...environment, ...Object.fromEntries(fromFiles) };
}

function readSecret(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new ConfigError([`${name}_FILE cannot be read (${messageOf(error)}): name a file that exists`]);
  }
}
