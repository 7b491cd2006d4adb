// A server that plays recorded bytes, in a process of its own: some faults of a client only show when the other side
// has its own event loop.
import { createServer } from 'node:net';

/**
 * @type {Map<number, { steps: { send?: Uint8Array, waitMs?: number, repeat?: number }[], end: 'fin' | 'reset' | 'open'
 * }>}
 */
const scripts = new Map();
const NUMBERED = /\bk(\d+)\b/;

const server = createServer((socket) => {
  socket.on('error', () => undefined); // clients that hang up are part of the play
  let text = '';
  const listen = (part) => {
    text += part.toString('latin1');
    const number = NUMBERED.exec(text)?.[1];
    const isWhole = text.startsWith('GET ') ? text.includes('\r\n\r\n') : text.includes('\n');
    if (!number || !isWhole) return;
    socket.off('data', listen);
    socket.resume();
    void play(socket, scripts.get(Number(number)));
  };
  socket.on('data', listen);
});

async function play(socket, script) {
  if (!script) return socket.destroy();
  for (const { send, waitMs, repeat = 1 } of script.steps)
    for (let times = 0; times < repeat && !socket.destroyed; times += 1) {
      if (waitMs) await new Promise((next) => setTimeout(next, waitMs));
      if (send) socket.write(send);
    }
  if (script.end === 'fin') socket.end();
  // What was written leaves before the reset does.
  if (script.end === 'reset') socket.write('', () => setTimeout(() => socket.resetAndDestroy(), 5));
}

process.on('message', ({ number, script }) => scripts.set(number, script));
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
