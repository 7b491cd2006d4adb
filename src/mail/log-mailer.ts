import { Injectable, Logger } from '@nestjs/common';
import { type Mail, Mailer } from './mailer.js';

/** For development: mail goes to the log, with its links. */
@Injectable()
export class LogMailer extends Mailer {
  private readonly logger = new Logger('Mail');

  // As a warning: the demo logs nothing less, and in earnest nobody gets this mail.
  async send({ to, subject, text }: Mail): Promise<void> {
    this.logger.warn(`No SMTP_URL is set, so this mail ends here. To: ${to}. Subject: ${subject}. ${text}`);
  }
}
