import { Logger } from '@nestjs/common';
import { isIP } from 'node:net';
import { DatabaseUnavailable, unavailabilityIn } from '../../db/database-unavailable.js';
import { isObject } from '../../validation/is-object.js';
import { type AccountLibraryOptions, libraryOptions } from './account-library.js';

export type PasskeyLibrary = Awaited<ReturnType<typeof openPasskeyLibrary>>;

/** Whether browsers take passkeys for this address: they want a host's name, and TLS unless it is this machine. */
export function takesPasskeys(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
  return protocol === 'https:' || hostname === 'localhost';
}

/**
 * better-auth with its passkeys (WebAuthn), beside the one that does all else: what it needs takes as long to load as that one and
 * 18 MB, so it is opened when the first passkey is made or used.
 */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- inferred from the options
export async function openPasskeyLibrary(options: AccountLibraryOptions) {
  const { betterAuth } = await import('better-auth');
  const { APIError } = await import('@better-auth/core/error');
  const { passkey } = await import('@better-auth/passkey');
  // The library itself is content with a key that was only touched; it stands for password and second factor here.
  const assertUser = (isVerified: boolean | undefined) => {
    if (isVerified !== true)
      throw new APIError('UNAUTHORIZED', {
        code: 'USER_NOT_VERIFIED',
        message: 'The user was not verified.',
      });
  };
  return betterAuth({
    ...(await libraryOptions(options)),
    logger: { level: 'error', log: sortFault },
    plugins: [
      passkey({
        rpID: new URL(options.baseUrl).hostname,
        rpName: 'Bowerbird',
        origin: new URL(options.baseUrl).origin,
        // Found without a name being typed.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        registration: {
          afterVerification: ({ verification }) => assertUser(verification.registrationInfo?.userVerified),
        },
        authentication: {
          afterVerification: ({ verification }) => assertUser(verification.authenticationInfo.userVerified),
        },
        advanced: { webAuthnChallengeCookie: 'passkey' },
        schema: {
          passkey: {
            modelName: 'account_passkey',
            fields: {
              userId: 'account_id',
              credentialID: 'credential_id',
              publicKey: 'public_key',
              deviceType: 'device_type',
              backedUp: 'backed_up',
              createdAt: 'created_at',
            },
          },
        },
      }),
    ],
  });
}

const logger = new Logger('Passkeys');

/**
 * The library takes whatever fails while it verifies for a passkey that is wrong, and logs it. A database that is away is none, and is
 * passed on; a fault of ours is none either, and is logged. Strangers' wrong passkeys are no lines of the log.
 */
export function sortFault(_level: string, message: string, error?: unknown): void {
  if (error instanceof DatabaseUnavailable || unavailabilityIn(error)) throw error;
  if (!isWrongPasskey(error)) logger.error(`${message}: ${stackOf(error)}`);
}

/** The verification refused it (its errors have no kind of their own), or the database: it is an account's already, or too long. */
function isWrongPasskey(error: unknown): boolean {
  if (isObject(error) && error.name === 'OperationError') return true;
  const isRefused = isObject(error) && typeof error.code === 'string' && error.code.startsWith('23');
  return isRefused || stackOf(error).includes('@simplewebauthn');
}

const stackOf = (error: unknown): string =>
  isObject(error) && typeof error.stack === 'string' ? error.stack : String(error);
