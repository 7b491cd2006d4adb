import { IsOptional, Matches } from 'class-validator';
import { IsIntegerFrom } from '../validation/numbers.js';
import { CommaSeparated, IsHost } from './rules.js';
import { UpstreamsEnv } from './upstreams.env.js';

/** A name, and the SHA-256 of a key in hexadecimal digits. */
export const OPERATOR_KEY = /^([A-Za-z0-9][A-Za-z0-9._-]{0,39}):([0-9a-f]{64})$/;

/** The part of {@link Env} that is about operators who work over HTTP. */
export class OperatorsEnv extends UpstreamsEnv {
  /** Who may operate the service at /ops/v1: NAME:HASH for each key, comma-separated, as `node dist/cli.js operator-key NAME` prints them. Not set: there is no such address. */
  @CommaSeparated()
  @Matches(OPERATOR_KEY, {
    each: true,
    message: 'OPERATOR_KEY_HASH must be a comma-separated list of NAME:HASH, as operator-key prints them',
  })
  OPERATOR_KEY_HASH: string[] = [];

  /** TCP port of its own for /ops, which the main one then does not serve. Not set: /ops on the main port. */
  @IsOptional()
  @IsIntegerFrom(0, 65_535)
  OPS_PORT: number | undefined = undefined;

  /** Address that OPS_PORT binds to. */
  @IsHost()
  OPS_HOST = '127.0.0.1';

  /** Largest list that an operator may upload, in megabytes, packed or not. */
  @IsIntegerFrom(1, 4096)
  OPS_UPLOAD_MAX_MB = 64;
}

/** One entry of OPERATOR_KEY_HASH, read. */
export function operatorKeyOf(text: string): { readonly name: string; readonly hash: string } {
  const [, name = '', hash = ''] = OPERATOR_KEY.exec(text) ?? [];
  return { name, hash };
}
