import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A server that can be cut off from whoever uses it, as a network does it. */
export interface CutOff {
  /** The server's address, by way of here. */
  readonly url: string;
  /** Ends every connection, and refuses others until told that the server is there again. */
  setAway(isAway: boolean): void;
  close(): Promise<void>;
}

export async function startCutOff(serverUrl: string): Promise<CutOff> {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const track = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    socket
      .on('error', () => other.destroy())
      .on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
  };
  const proxy = createServer((incoming) => {
    if (isCut) return void incoming.on('error', () => undefined).destroy();
    const outgoing = connect(Number(port), hostname);
    track(incoming, outgoing);
    track(outgoing, incoming);
    incoming.pipe(outgoing).pipe(incoming);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url: url.href,
    setAway(isAway) {
      isCut = isAway;
      if (isAway) cut();
    },
    close: () =>
      new Promise((done) => {
        proxy.close(() => done());
        cut();
      }),
  };
}
