import { Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { LogMailer } from './log-mailer.js';
import { Mailer } from './mailer.js';

/** Mail to account holders: through SMTP_URL, else into the log. */
@Module({
  providers: [
    {
      provide: Mailer,
      inject: [Config],
      // Nodemailer is 39 files, which a service without a server for mail does not load.
      useFactory: async ({ mail }: Config): Promise<Mailer> => {
        if (mail.smtpUrl === undefined) return new LogMailer();
        const { SmtpMailer } = await import('./smtp-mailer.js');
        return new SmtpMailer(mail.smtpUrl, mail.from);
      },
    },
  ],
  exports: [Mailer],
})
export class MailModule {}
