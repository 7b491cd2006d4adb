import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface ReceivedMail {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
}

/** A mailbox for everybody: takes mail by SMTP on loopback and keeps it. */
export interface MailServer {
  readonly url: string;
  readonly mails: ReceivedMail[];
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    converse(socket, (mail) => mails.push(mail));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const END_OF_MAIL = '\r\n.\r\n';

function converse(socket: Socket, receive: (mail: ReceivedMail) => void): void {
  let waiting = '';
  let inMail = false;
  let envelope = { from: '', to: '' };
  const reply = (line: string) => socket.write(`${line}\r\n`);
  const obey = (line: string) => {
    const address = /<([^>]*)>/.exec(line)?.[1] ?? '';
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

function read(source: string): Pick<ReceivedMail, 'subject' | 'text'> {
  const [head = '', ...rest] = source.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  const quoted = /^Content-Transfer-Encoding: quoted-printable/im.test(head);
  return {
    subject: /^Subject: (.*)$/im.exec(head)?.[1]?.trim() ?? '',
    text: quoted ? body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, decodeByte) : body,
  };
}

function decodeByte(_: string, hex: string): string {
  return String.fromCharCode(parseInt(hex, 16));
}
