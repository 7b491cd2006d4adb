import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.js';
import type { Config } from './config.js';
import { isSet, SECRETS } from './env.js';
import { readConfig } from './read-config.js';

type Variables = Readonly<Record<string, string>>;

/**
 * The environment of this process, read. The one place in `src/` that touches process.env.
 *
 * Secrets may be given as files (see {@link withSecretFiles}).
 *
 * @param defaults hold where the environment says nothing
 * @param fixed hold whatever the environment says
 */
export function readProcessConfig(defaults: Variables = {}, fixed: Variables = {}): Config {
  return readConfig({ ...defaults, ...secretsRead(withoutEmpty(process.env)), ...fixed });
}

function secretsRead(environment: NodeJS.ProcessEnv): Readonly<Record<string, string | undefined>> {
  try {
    return withSecretFiles(environment);
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : String(error)]);
  }
}

function withoutEmpty(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name, value]) => isSet(name, value)));
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Fills in secrets that are given as files, such as DATABASE_URL_FILE=/run/secrets/database_url, which is how containers
 * are handed them; one line ending at the end does not count.
 *
 * @throws {Error} in words for the operator, when a file cannot be read, or the secret is given twice
 */
export function withSecretFiles(environment: Environment): Environment {
  const fromFiles = SECRETS.flatMap((name) => {
    const path = environment[`${name}_FILE`];
    if (!path) return [];
    if (environment[name]) throw new Error(`${name} and ${name}_FILE exclude each other: set one of them`);
    return [[name, readSecret(name, path)] as const];
  });
  return { ...environment, ...Object.fromEntries(fromFiles) };
}

function readSecret(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`${name}_FILE cannot be read (${String(error)})`, {
      cause: error,
    });
  }
}
