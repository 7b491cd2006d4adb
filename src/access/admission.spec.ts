import type { IncomingMessage, ServerResponse } from 'node:http';
import { FairLine } from './admission.js';

describe('a line of requests', () => {
  const served: string[] = [];
  const add = (line: FairLine, caller: string, count: number) => {
    for (let number = 1; number <= count; number += 1)
      line.add(caller, {
        request: {} as IncomingMessage,
        response: {} as ServerResponse,
        run: () => served.push(`${caller}${number}`),
      });
  };

  it('serves callers in turn, and the requests of each in their order', () => {
    const line = new FairLine();
    add(line, 'a', 3);
    add(line, 'b', 1);
    add(line, 'c', 2);
    while (line.size > 0) line.next()?.run();
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect(line.next()).toBeUndefined();
  });

  it('lets nobody wait behind all requests of another', () => {
    const line = new FairLine();
    add(line, 'flood', 200);
    expect([line.aheadOf('flood'), line.aheadOf('other')]).toEqual([200, 1]);
    add(line, 'other', 2);
    expect([line.aheadOf('other'), line.aheadOf('third'), line.aheadOf('flood')]).toEqual([6, 2, 202]);
  });
});
