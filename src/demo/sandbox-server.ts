import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export const SANDBOX_HOST = '127.0.0.1';

export interface SandboxServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves on loopback. @param port 0 asks the system for a free one */
export async function serveOnLoopback(port: number, listener: RequestListener): Promise<SandboxServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, SANDBOX_HOST, resolve);
  });
  // The server does not keep its process alive, so that a demo that could not start ends.
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
