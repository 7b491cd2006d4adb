import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/**
 * Handles on the one listening socket. libuv accepts one connection of a handle in a turn of the event loop, which takes
 * tens of milliseconds in a busy process: with one handle, new callers waited for seconds.
 */
const HANDLES = 32;
const LIMIT_MS = 10_000;
const SEND_BACK = `process.on('message', (place, handle) => process.send(place, handle))`;

/**
 * Opens further handles on the socket on which the server listens. Node cannot duplicate a handle in its own process,
 * so a child process gets it and sends it back.
 *
 * @param accept takes the connections of the further handles
 * @returns servers of their own, which are to be closed with the first
 */
export async function openFurtherHandles(
  server: Server,
  accept: (socket: Socket) => void,
): Promise<Server[]> {
  const child = spawn(process.execPath, ['-e', SEND_BACK], {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const opened: Server[] = [];
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    for (let place = 1; place < HANDLES; place += 1) {
      const answered = once(child, 'message', { signal });
      child.send(place, Reflect.get(server, '_handle') as Server);
      const [, handle] = (await answered) as [number, Server];
      // As node:http makes its own.
      const further = createServer({ allowHalfOpen: true, noDelay: true }, accept);
      opened.push(further);
      further.on('error', (error) => server.emit('error', error)).listen(handle);
    }
    return opened;
  } catch (error) {
    for (const further of opened) further.close();
    throw error;
  } finally {
    child.kill('SIGKILL');
  }
}
