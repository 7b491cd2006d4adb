import { isObject } from '../validation/is-object.js';

/** One mail, as text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Beside those that every mail has. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Takes mail to account holders. */
export abstract class Mailer {
  /** Resolves when the mail was handed over; that it arrives is nobody's promise. */
  abstract send(mail: Mail): Promise<void>;
}

/** Whether the server will not take this mail, whenever it is tried. */
export function isRejection(error: unknown): boolean {
  return isObject(error) && typeof error.responseCode === 'number' && error.responseCode >= 500;
}
