import { postTo } from '../../src/notify/webhooks/receiver-request.js';
import { type Manner, startEndlessServer } from '../support/endless-server.js';
import { until } from '../support/processes.js';

const LIMIT_MS = 300;
/** The server is a process of its own, which a busy machine is slow to run. */
const LONG_LIMIT_MS = 2_000;
const NO_LIMIT_MS = 60_000;
const EXPECTED: readonly [Manner, limitMs: number, answer: object][] = [
  ['silence', LIMIT_MS, { status: null, problem: `no answer within ${LIMIT_MS} ms` }],
  ['an endless head', LIMIT_MS, { status: null, problem: `no answer within ${LIMIT_MS} ms` }],
  // The status is the receiver's answer; of the body only the beginning counts.
  ['an endless body', LONG_LIMIT_MS, { status: 200, problem: null }],
  ['a byte a second', LONG_LIMIT_MS, { status: 200, problem: null }],
  ['a body that is cut off', NO_LIMIT_MS, { status: 200, text: '<a>', problem: null }],
  ['a body that cannot be unpacked', NO_LIMIT_MS, { status: 200, problem: null }],
];

it.each(EXPECTED)(
  'a delivery to a receiver with %s ends at its limit, and closes',
  async (manner, timeoutMs, answer) => {
    const server = await startEndlessServer(manner);
    const options = { timeoutMs, allowsLoopback: true };
    await expect(postTo(`http://127.0.0.1:${server.port}/`, {}, '{}', options)).resolves.toMatchObject(
      answer,
    );
    await until('the connection is closed', async () => (await server.countOpen()) === 0);
    await server.close();
  },
);
