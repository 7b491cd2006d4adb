import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PROJECT_FOLDER } from '../../config/product.js';

/** Comforts only: a live check in place, more rows, a countdown, a copy button, how strong a password is. Read once, as its address holds its version. */
export const SCRIPT = asset('site.js');

// As the package ships it for browsers; its main file is beside that.
const WEBAUTHN = join(
  dirname(createRequire(import.meta.url).resolve('@simplewebauthn/browser')),
  '../dist/bundle/index.umd.min.js',
);

/** Passkeys: without it one signs in with the password. */
export const PASSKEY_SCRIPT = `${readFileSync(WEBAUTHN, 'utf8')}\n${asset('passkeys.js')}`;

function asset(name: string): string {
  return readFileSync(join(PROJECT_FOLDER, 'assets', name), 'utf8');
}
