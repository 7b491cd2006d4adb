import { postTo } from '../../src/notify/webhooks/receiver-request.js';
import { type Manner, startEndlessServer } from '../support/endless-server.js';
import { until } from '../support/processes.js';

const LIMIT_MS = 300;
const EXPECTED: readonly [Manner, object][] = [
  ['silence', { status: null, problem: 'no answer within 300 ms' }],
  ['an endless head', { status: null, problem: 'no answer within 300 ms' }],
  // The status is the receiver's answer; of the body only the beginning counts.
  ['an endless body', { status: 200, problem: null }],
  ['a byte a second', { status: 200, problem: null }],
  ['a body that is cut off', { status: 200, text: '<a>', problem: null }],
  ['a body that cannot be unpacked', { status: 200, problem: null }],
];

it.each(EXPECTED)(
  'a delivery to a receiver with %s ends at its limit, and closes',
  async (manner, answer) => {
    const server = await startEndlessServer(manner);
    const options = { timeoutMs: LIMIT_MS, allowsLoopback: true };
    await expect(postTo(`http://127.0.0.1:${server.port}/`, {}, '{}', options)).resolves.toMatchObject(
      answer,
    );
    await until('the connection is closed', async () => (await server.countOpen()) === 0);
    await server.close();
  },
);
