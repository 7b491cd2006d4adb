import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands between a server and whoever uses it. */
export interface Proxy {
  /** The server's address, by way of here. */
  readonly url: string;
  /** Ends every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** @param join ties the two ends of a connection together, or does not */
export async function startProxy(
  serverUrl: string,
  join: (incoming: Socket, outgoing: Socket) => void,
): Promise<Proxy> {
  const { hostname, port } = new URL(serverUrl);
  const host = decodeURIComponent(hostname);
  const connectToServer = () =>
    host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(Number(port), host);
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const proxy = createServer({ allowHalfOpen: true }, (incoming) => {
    const outgoing = connectToServer();
    track(incoming);
    track(outgoing);
    join(incoming, outgoing);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url: url.href,
    cut,
    close: () =>
      new Promise((done) => {
        proxy.close(() => done());
        cut();
      }),
  };
}

/** A server that can be cut off from whoever uses it, as a network does it. */
export interface CutOff extends Pick<Proxy, 'url' | 'close'> {
  /** Ends every connection, and refuses others until told that the server is there again. */
  setAway(isAway: boolean): void;
}

export async function startCutOff(serverUrl: string): Promise<CutOff> {
  let isCut = false;
  const { url, cut, close } = await startProxy(serverUrl, (incoming, outgoing) => {
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
    if (isCut) incoming.destroy();
    else incoming.pipe(outgoing).pipe(incoming);
  });
  return {
    url,
    close,
    setAway(isAway) {
      isCut = isAway;
      if (isAway) cut();
    },
  };
}
