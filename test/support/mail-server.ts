import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface ReceivedMail {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  /** All header lines. */
  readonly head: string;
}

/** A mailbox for everybody: takes mail by SMTP on loopback and keeps it. */
export interface MailServer {
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** What mail is answered with instead of being taken, such as `450 later`. */
  refusal: string | null;
  /** How often a mail was answered with it. */
  refused: number;
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  const state = { refusal: null as string | null, refused: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    converse(
      socket,
      (mail) => mails.push(mail),
      () => {
        if (state.refusal !== null) state.refused += 1;
        return state.refusal;
      },
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return Object.assign(state, {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  });
}

const END_OF_MAIL = '\r\n.\r\n';

function converse(socket: Socket, receive: (mail: ReceivedMail) => void, refusal: () => string | null): void {
  let waiting = '';
  let inMail = false;
  let envelope = { from: '', to: '' };
  const reply = (line: string) => socket.write(`${line}\r\n`);
  const obey = (line: string) => {
    const address = /<([^>]*)>/.exec(line)?.[1] ?? '';
    const refused = /^MAIL/i.test(line) && refusal();
    if (refused) return reply(refused);
    if (/^MAIL/i.test(line)) envelope = { from: address, to: '' };
    if (/^RCPT/i.test(line)) envelope.to = address;
    inMail = /^DATA/i.test(line);
    if (/^QUIT/i.test(line)) return socket.end('221 bye\r\n');
    return reply(inMail ? '354 go on' : '250 ok');
  };
  reply('220 test');
  socket.on('data', (chunk) => {
    waiting += chunk.toString('latin1');
    for (;;) {
      const end = waiting.indexOf(inMail ? END_OF_MAIL : '\r\n');
      if (end < 0) return;
      const part = waiting.slice(0, end);
      waiting = waiting.slice(end + (inMail ? END_OF_MAIL.length : 2));
      if (inMail) {
        inMail = false;
        receive({ ...envelope, ...read(part) });
        reply('250 taken');
      } else obey(part);
    }
  });
}

function read(source: string): Pick<ReceivedMail, 'subject' | 'text' | 'head'> {
  const [head = '', ...rest] = source.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  const quoted = /^Content-Transfer-Encoding: quoted-printable/im.test(head);
  return {
    head: head.replace(/\r\n[ \t]+/g, ' '),
    subject: /^Subject: (.*)$/im.exec(head.replace(/\r\n[ \t]+/g, ' '))?.[1]?.trim() ?? '',
    text: quoted ? body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, decodeByte) : body,
  };
}

function decodeByte(_: string, hex: string): string {
  return String.fromCharCode(parseInt(hex, 16));
}
