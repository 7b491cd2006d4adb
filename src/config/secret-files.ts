import { readFileSync } from 'node:fs';

/** Variables that hold a secret: never repeated in a message, which ends in a log, and readable from a file. */
export const SECRETS = ['DATABASE_URL', 'AUTH_SECRET', 'WEBHOOK_SECRET_KEY', 'SMTP_URL'] as const;

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
