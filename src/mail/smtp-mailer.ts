import type { OnApplicationShutdown } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import { type Mail, Mailer } from './mailer.js';

const TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 2;

/** Hands mail to an SMTP server. */
export class SmtpMailer extends Mailer implements OnApplicationShutdown {
  private readonly transport: Transporter;

  constructor(
    url: string,
    private readonly from: string,
  ) {
    super();
    const limits = {
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      // A mail's text and addresses are ours; nothing in them may name files or URLs to fetch.
      disableFileAccess: true,
      disableUrlAccess: true,
    };
    this.transport = createTransport({ url, ...limits });
  }

  async send(mail: Mail): Promise<void> {
    await this.transport.sendMail({ from: this.from, ...mail });
  }

  onApplicationShutdown(): void {
    this.transport.close();
  }
}
