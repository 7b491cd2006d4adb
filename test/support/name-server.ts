import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { type Answer, decode, encode, RECURSION_DESIRED } from 'dns-packet';

/** A name server on loopback whose answers can change. */
export interface NameServer {
  /** Addresses of every name; none: it does not exist. */
  addresses: string[];
  /** Questions for addresses so far, as `A name`. */
  readonly asked: string[];
  readonly resolver: Resolver;
  /** Stops answering. */
  isSilent: boolean;
  close(): Promise<void>;
}

export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  const resolver = new Resolver({ timeout: 1_500, tries: 1 });
  const server: NameServer = {
    addresses: [],
    asked: [],
    resolver,
    isSilent: false,
    close: () => new Promise((closed) => socket.close(() => closed())),
  };
  socket.on('message', (message, peer) => {
    const { id, questions = [] } = decode(message);
    const [question] = questions;
    if (!question || server.isSilent) return;
    const { name, type } = question;
    server.asked.push(`${type} ${name}`);
    const wanted = server.addresses.filter((address) => address.includes(':') === (type === 'AAAA'));
    const answers = wanted.map((data) => ({ name, type, ttl: 0, data }) as Answer);
    const reply = encode({ id, type: 'response', flags: RECURSION_DESIRED, questions, answers });
    socket.send(reply, peer.port, peer.address);
  });
  await new Promise<void>((listening) => socket.bind(0, '127.0.0.1', listening));
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return server;
}
