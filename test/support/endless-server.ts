import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from './processes.js';

/** How a server fails: it accepts a connection, and does not finish its answer or sends one that is none. */
export type Manner =
  | 'silence'
  | 'an endless head'
  | 'an endless body'
  | 'a byte a second'
  | 'a flood'
  | 'a body that is cut off'
  | 'a body that cannot be unpacked'
  | 'an endless greeting'
  | 'a greeting of a byte a second'
  | 'an endless reply'
  | 'a flood of a greeting'
  | 'a flood of a reply'
  | 'a flood of empty lines'
  | 'a reply that is cut off';

export interface EndlessServer {
  readonly port: number;
  /** Connections that its clients have not closed. */
  countOpen(): Promise<number>;
  close(): Promise<void>;
}

export async function startEndlessServer(manner: Manner): Promise<EndlessServer> {
  const child = fork(join(ROOT, 'test/support/endless-server-process.mjs'), [manner], { execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    port,
    async countOpen() {
      const told = once(child, 'message');
      child.send('count');
      const [{ open }] = (await told) as [{ open: number }];
      return open;
    },
    async close() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
