import type { Response } from 'express';
import { createServer, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Delivery } from '../../src/access/delivery.js';
import { sendAnswer } from '../../src/app/answer.js';

const ROWS = 400_000;
/** 20 MB: more than the buffers of both ends take. */
const CSV = `domain,wayback\n${'a-name-of-some-length-that-fills-the-row.com.au,17\n'.repeat(ROWS)}`;

let server: Server;
let ended: Promise<number>;
beforeAll(async () => {
  let end: (share: number) => void;
  server = createServer((asked, response) => {
    ended = new Promise((resolve) => (end = resolve));
    const answer = Object.assign(response, { req: asked }) as ServerResponse as Response;
    new Delivery(answer).onEnd((share) => end(share));
    response.setHeader('Content-Type', 'text/csv; charset=utf-8').setHeader('Cache-Control', 'no-store');
    sendAnswer(answer, CSV);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const ask = (onAnswer: (answer: import('node:http').IncomingMessage) => void) =>
  new Promise<void>((resolve) => {
    const { port } = server.address() as AddressInfo;
    const asked = request({ port, host: '127.0.0.1', agent: false }, (answer) => {
      onAnswer(answer);
      answer.on('close', resolve).on('error', () => undefined);
    });
    asked.on('error', () => undefined).end();
  });

it('a long answer counts as sent when all of it was taken', async () => {
  let length = 0;
  await ask((answer) => answer.on('data', (piece: Buffer) => (length += piece.length)));
  expect(length).toBe(CSV.length);
  expect(await ended).toBe(1);
});

it('a caller who hangs up in the middle has got the rows that the kernel took, and no others', async () => {
  let read = 0;
  await ask((answer) =>
    answer.on('data', (piece: Buffer) => {
      read += piece.length;
      if (read > CSV.length / 4) answer.destroy();
    }),
  );
  const share = await ended;
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(1);
  expect(Number.isInteger(Math.round(share * ROWS * 1e6) / 1e6)).toBe(true);
});

it('a caller who reads nothing is not charged for what waits in this process', async () => {
  await ask((answer) => {
    answer.pause();
    setImmediate(() => answer.destroy());
  });
  expect(await ended).toBeLessThan(0.9);
});
