import { createHmac, randomBytes } from 'node:crypto';
import { callerIdOfAddress } from './caller.js';

const DAY_MS = 86_400_000;

/**
 * What stands for an address in the log: the same all day and on all instances that share the secret, so that abuse can be followed;
 * another the next day, so that nobody can be tracked; and to be undone by no one who has not the secret.
 */
export class AddressDigest {
  private day = -1;
  private key = '';

  /** @param secret empty: one of the process's own */
  constructor(private readonly secret: string = randomBytes(32).toString('hex')) {}

  /** @returns 16 hexadecimal characters */
  of(address: string | undefined, nowMs: number = Date.now()): string {
    const day = Math.floor(nowMs / DAY_MS);
    if (day !== this.day) {
      this.key = createHmac('sha256', this.secret).update(`addresses of day ${day}`).digest('hex');
      this.day = day;
    }
    return createHmac('sha256', this.key).update(callerIdOfAddress(address)).digest('hex').slice(0, 16);
  }
}
