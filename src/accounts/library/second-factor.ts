import { createHash } from 'node:crypto';

const RECOVERY_CODES = 10;
/** Between the password and the code. */
const SIGN_IN_SECONDS = 600;

/** better-auth's second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes that work once each. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- inferred from the options
export async function secondFactor() {
  const { twoFactor } = await import('better-auth/plugins/two-factor');
  return twoFactor({
    issuer: 'Bowerbird',
    twoFactorCookieMaxAge: SIGN_IN_SECONDS,
    backupCodeOptions: { amount: RECOVERY_CODES, storeBackupCodes: 'encrypted' },
    schema: {
      user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
      twoFactor: {
        modelName: 'account_second_factor',
        fields: {
          userId: 'account_id',
          backupCodes: 'backup_codes',
          failedVerificationCount: 'failed_verification_count',
          lockedUntil: 'locked_until',
        },
      },
    },
  });
}

/** The secrets that the library encrypts with, each under a number of its own, whatever their order. */
export function numberedSecrets(secrets: readonly string[]): { version: number; value: string }[] {
  return secrets.map((value) => ({
    version: createHash('sha256').update(value).digest().readUInt32BE() >>> 1,
    value,
  }));
}
