// A server that accepts connections and gives no whole answer, in a process of its own: some faults of a client only
// show when the other side has its own event loop. The way it fails is its argument.
import { createServer } from 'node:net';

const EVERY_MS = 20;
const SLOW_MS = 1_000;
const open = new Set();

/**
 * What is written when a request has come, and what follows it for ever: null where the connection ends, undefined
 * where it stays open.
 *
 * @type {Record<string, [string, (string | null)?]>}
 */
const ANSWERS = {
  'an endless head': ['HTTP/1.1 200 OK\r\nX-Endless: ', 'x'],
  'an endless body': ['HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n', ' '],
  'a byte a second': ['HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n', ' '],
  'a flood': ['HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n', ' '.repeat(1_000_000)],
  'a body that is cut off': ['HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<a>', null],
  'a body that cannot be unpacked': [
    'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\n\x1f\x8b\x08rubbish',
  ],
  'an endless reply': ['250-endless\r\n', '250-endless\r\n'],
  'a flood of a reply': ['250-endless\r\n', '250-endless\r\n'.repeat(100_000)],
  'a flood of empty lines': ['\r\n', '\r\n'.repeat(500_000)],
  'a reply that is cut off': ['250-endless\r\n25', null],
};
const GREETINGS = {
  'an endless greeting': '220-endless\r\n',
  'a greeting of a byte a second': '2',
  'a flood of a greeting': '220-endless\r\n'.repeat(100_000),
};
const [, , manner] = process.argv;
const everyMs = manner.includes('a byte a second') ? SLOW_MS : EVERY_MS;

const server = createServer((socket) => {
  open.add(socket);
  socket.on('close', () => open.delete(socket));
  socket.on('error', () => undefined);
  if (GREETINGS[manner]) return repeat(socket, GREETINGS[manner]);
  if (/reply|empty lines/.test(manner)) socket.write('220 here\r\n');
  socket.on('data', () => undefined);
  const [begin, more] = ANSWERS[manner] ?? [];
  if (begin)
    socket.once('data', () =>
      socket.write(begin, 'latin1', () => {
        if (more === null) socket.end();
        else if (more !== undefined) repeat(socket, more);
      }),
    );
});

function repeat(socket, text) {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.on('close', () => clearInterval(timer));
  socket.on('data', () => undefined);
}

process.on('message', () => process.send({ open: open.size }));
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
