import { Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { Config } from '../config/config.js';
import { isObject } from '../validation/unknown-values.js';

/** One mail, as text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Added to the headers that every mail has. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends mail to account holders. */
export abstract class Mailer {
  /** Resolves when the mail was handed over; delivery is not confirmed. */
  abstract send(mail: Mail): Promise<void>;
}

/** Whether the server rejects this mail for good, so that a retry is pointless. */
export function isRejection(error: unknown): boolean {
  return isObject(error) && typeof error.responseCode === 'number' && error.responseCode >= 500;
}

/** For development: mail goes to the log, with its links. */
class LogMailer extends Mailer {
  private readonly logger = new Logger('Mail');

  // As a warning: the demo logs nothing below that level.
  async send({ to, subject, text }: Mail): Promise<void> {
    this.logger.warn(`No SMTP_URL is set, so this mail ends here. To: ${to}. Subject: ${subject}. ${text}`);
  }
}

const TIMEOUT_MS = 10_000;
/** Of one mail in all: the other limits begin again with every byte that the server sends. */
const SEND_LIMIT_MS = 60_000;
const SMTP_OPTIONS = {
  pool: true,
  maxConnections: 2,
  connectionTimeout: TIMEOUT_MS,
  greetingTimeout: TIMEOUT_MS,
  socketTimeout: TIMEOUT_MS,
  // No text or address of a mail may name files or URLs to fetch.
  disableFileAccess: true,
  disableUrlAccess: true,
} as const;

class SmtpMailer extends Mailer implements OnApplicationShutdown {
  constructor(
    private readonly transport: Transporter,
    private readonly from: string,
  ) {
    super();
  }

  async send(mail: Mail): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, fail) => {
      const error = new Error(`The mail server did not take the mail within ${SEND_LIMIT_MS} ms`);
      timer = setTimeout(() => fail(error), SEND_LIMIT_MS).unref();
    });
    await Promise.race([this.transport.sendMail({ from: this.from, ...mail }), late]).finally(() =>
      clearTimeout(timer),
    );
  }

  onApplicationShutdown(): void {
    this.transport.close();
  }
}

/** Mail to account holders: through SMTP_URL, else into the log. */
@Module({
  providers: [
    {
      provide: Mailer,
      inject: [Config],
      useFactory: async ({ mail: { smtpUrl, from } }: Config): Promise<Mailer> => {
        if (smtpUrl === undefined) return new LogMailer();
        // Nodemailer is 39 files, which a service without a mail server does not load.
        const { createTransport } = await import('nodemailer');
        return new SmtpMailer(createTransport({ url: smtpUrl, ...SMTP_OPTIONS }), from);
      },
    },
  ],
  exports: [Mailer],
})
export class MailModule {}
