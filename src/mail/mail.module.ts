import { Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { LogMailer } from './log-mailer.js';
import { Mailer } from './mailer.js';
import { SmtpMailer } from './smtp-mailer.js';

/** Mail to account holders: through SMTP_URL, else into the log. */
@Module({
  providers: [
    {
      provide: Mailer,
      inject: [Config],
      useFactory: ({ mail }: Config) =>
        mail.smtpUrl === undefined ? new LogMailer() : new SmtpMailer(mail.smtpUrl, mail.from),
    },
  ],
  exports: [Mailer],
})
export class MailModule {}
