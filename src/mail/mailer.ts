/** One mail, as text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Takes mail to account holders. */
export abstract class Mailer {
  /** Resolves when the mail was handed over; that it arrives is nobody's promise. */
  abstract send(mail: Mail): Promise<void>;
}
