import { Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { createTransport, SMTPPoolOptions, Transporter } from 'nodemailer';
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
const [SECURE_PORT, SUBMISSION_PORT] = [465, 587];
/** Of one mail in all: the other limits begin again with every byte that the server sends. */
const SEND_LIMIT_MS = 60_000;
/** What a connection reads of the server in all: with 20 mails six times the replies that RFC 5321 allows for. */
const MAX_REPLY_BYTES = 65_536;
const SMTP_OPTIONS = {
  pool: true,
  maxConnections: 2,
  maxMessages: 20,
  connectionTimeout: TIMEOUT_MS,
  greetingTimeout: TIMEOUT_MS,
  socketTimeout: TIMEOUT_MS,
  // A connection that is closed is not kept until the server agrees.
  socketCloseTimeout: 0,
  // No text or address of a mail may name files or URLs to fetch.
  disableFileAccess: true,
  disableUrlAccess: true,
} as const;

/**
 * A connection that reads MAX_REPLY_BYTES at most, also of packed bytes. Nodemailer bounds a reply, but not the empty
 * lines between two replies. It is no `net.Socket`, because TLS would read the handle of a socket past the limit.
 */
class BoundedConnection extends Duplex {
  private left = MAX_REPLY_BYTES;

  constructor(private readonly socket: Socket) {
    super({ allowHalfOpen: false });
    socket.on('data', (part: Buffer) => {
      this.left -= part.length;
      if (this.left < 0) this.destroy(new Error(`The mail server sent more than ${MAX_REPLY_BYTES} bytes`));
      else this.push(part);
    });
    socket.on('end', () => this.push(null));
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  setTimeout(ms: number): this {
    this.socket.setTimeout(ms);
    return this;
  }

  override _read(): void {
    // Bytes are pushed as they arrive, up to the limit.
  }

  override _write(part: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(part, encoding, done);
  }

  override _final(done: () => void): void {
    this.socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.socket.destroy();
    done(error);
  }
}

/** Sends by SMTP. A mail that is not taken within the limit fails, and its connection is closed. */
export class SmtpMailer extends Mailer implements OnApplicationShutdown {
  private readonly transport: Transporter;

  constructor(
    create: typeof createTransport,
    url: string,
    private readonly from: string,
    private readonly limitMs = SEND_LIMIT_MS,
  ) {
    super();
    this.transport = create({ url, ...SMTP_OPTIONS, getSocket: openBounded });
  }

  async send(mail: Mail): Promise<void> {
    const limit = new AbortController();
    const late = new Error(`The mail server did not take the mail within ${this.limitMs} ms`);
    const timer = setTimeout(() => limit.abort(late), this.limitMs);
    try {
      await this.transport.sendMail({ from: this.from, ...mail, signal: limit.signal });
    } catch (error) {
      throw limit.signal.aborted ? late : error;
    } finally {
      clearTimeout(timer);
    }
  }

  onApplicationShutdown(): void {
    this.transport.close();
  }
}

/** Nodemailer takes any stream that has the few methods of a socket that it calls. */
function openBounded(
  { host, port, secure }: Pick<SMTPPoolOptions, 'host' | 'port' | 'secure'>,
  done: (error: Error | null, options?: { connection: Socket }) => void,
): void {
  const socket = connect({ host, port: Number(port) || (secure ? SECURE_PORT : SUBMISSION_PORT) });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`No connection within ${TIMEOUT_MS} ms`)));
  socket.once('error', done);
  socket.once('connect', () => {
    socket.off('error', done);
    socket.removeAllListeners('timeout');
    done(null, { connection: new BoundedConnection(socket) as unknown as Socket });
  });
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
        return new SmtpMailer((await import('nodemailer')).createTransport, smtpUrl, from);
      },
    },
  ],
  exports: [Mailer],
})
export class MailModule {}
