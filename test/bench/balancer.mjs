import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** HAProxy with a configuration such as the shipped one, in front of one instance; its starter stops it. */
export async function startBalancer({ url }, config) {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address();
  listener.close();
  const nobody = '127.0.0.1:9';
  const child = spawn('haproxy', ['-db', '-f', config], {
    env: {
      ...process.env,
      ...{ LISTEN: `127.0.0.1:${port}`, INSTANCE_1: new URL(url).host },
      ...{ INSTANCE_2: nobody, INSTANCE_3: nobody },
    },
    stdio: 'ignore',
  });
  await pause(3_000);
  return { url: `http://127.0.0.1:${port}`, balancer: child.pid, stop: async () => child.kill() };
}
