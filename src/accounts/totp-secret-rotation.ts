import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Database } from '../db/database.js';
import { messageOf } from '../validation/thrown.js';
import { numberedSecrets } from './library/account-library.js';

const RESEALED_AT_ONCE = 500;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface Sealed {
  readonly id: string;
  readonly secret: string;
  readonly codes: string;
}

/**
 * Second factors are sealed with AUTH_SECRET. While it is replaced, those that the one before sealed are sealed anew: once there are none,
 * the one before need not be accepted any more.
 */
@Injectable()
export class TotpSecretRotation implements OnApplicationBootstrap {
  private readonly logger = new Logger('Accounts');

  constructor(
    private readonly config: Config,
    private readonly database: Database,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { secrets } = this.config.auth;
    if (secrets.length < 2) return;
    try {
      const { resealed, left } = await this.reseal(secrets);
      this.logger.log(`${resealed} second factors were sealed anew with AUTH_SECRET`);
      if (left > 0) this.logger.warn(`${left} second factors open with neither secret`);
    } catch (error) {
      this.logger.warn(`Second factors were not sealed anew, the next start will: ${messageOf(error)}`);
    }
  }

  private async reseal(secrets: readonly string[]): Promise<{ resealed: number; left: number }> {
    const { symmetricDecrypt, symmetricEncrypt } = await import('better-auth/crypto');
    const numbered = numberedSecrets(secrets);
    const current = numbered[0]?.version ?? 0;
    const key = {
      keys: new Map(numbered.map(({ version, value }) => [version, value])),
      currentVersion: current,
    };
    const anew = async (data: string) =>
      symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) });
    let [resealed, left, after] = [0, 0, FIRST_ID];
    for (;;) {
      const rows = await this.listOthers(`$ba$${current}$`, after);
      for (const row of rows) {
        const sealed = await Promise.all([anew(row.secret), anew(row.codes)]).catch(() => null);
        if (sealed === null) left += 1;
        else if (await this.replace(row, ...sealed)) resealed += 1;
      }
      const last = rows.at(-1);
      if (!last || rows.length < RESEALED_AT_ONCE) return { resealed, left };
      after = last.id;
    }
  }

  /** Those that another secret has sealed. */
  private listOthers(current: string, after: string): Promise<Sealed[]> {
    return this.database.query<Sealed>(
      `SELECT id, secret, backup_codes AS codes FROM account_second_factor
        WHERE id > $1 AND NOT (starts_with(secret, $2) AND starts_with(backup_codes, $2))
        ORDER BY id LIMIT $3`,
      [after, current, RESEALED_AT_ONCE],
    );
  }

  // Unless a recovery code was used meanwhile, which has sealed them anew.
  private async replace(
    { id, secret, codes }: Sealed,
    newSecret: string,
    newCodes: string,
  ): Promise<boolean> {
    const rows = await this.database.query(
      `UPDATE account_second_factor SET secret = $4, backup_codes = $5
        WHERE id = $1 AND secret = $2 AND backup_codes = $3 RETURNING id`,
      [id, secret, codes, newSecret, newCodes],
    );
    return rows.length > 0;
  }
}
