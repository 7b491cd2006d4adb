// A server that accepts connections and never finishes an answer, in a process of its own: some faults of a client
// only show when the other side has its own event loop. The way it fails is its argument.
import { createServer } from 'node:net';

const EVERY_MS = 20;
const open = new Set();

/** What is written when a request has come, and what follows it for ever. @type {Record<string, [string, string]>} */
const ANSWERS = {
  'an endless head': ['HTTP/1.1 200 OK\r\nX-Endless: ', 'x'],
  'an endless body': ['HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n', ' '],
  'an endless reply': ['250-endless\r\n', '250-endless\r\n'],
};
const [, , manner] = process.argv;

const server = createServer((socket) => {
  open.add(socket);
  socket.on('close', () => open.delete(socket));
  socket.on('error', () => undefined);
  if (manner === 'an endless greeting') return repeat(socket, '220-endless\r\n');
  if (manner === 'an endless reply') socket.write('220 here\r\n');
  socket.on('data', () => undefined);
  const [begin, more] = ANSWERS[manner] ?? [];
  if (begin) socket.once('data', () => socket.write(begin) && repeat(socket, more));
});

function repeat(socket, text) {
  const timer = setInterval(() => socket.write(text), EVERY_MS);
  socket.on('close', () => clearInterval(timer));
  socket.on('data', () => undefined);
}

process.on('message', () => process.send({ open: open.size }));
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
