import { retryAfterOf, together, unavailable } from './no-answer.js';
import { noAnswer, type NoAnswer } from './registry-lookup.js';

describe('together', () => {
  const paused = noAnswer('paused', 'rdap: paused', 30);
  const timeout = noAnswer('timeout', 'availability_service: timeout', 10);

  it.each(['not_trusted', 'paused', 'circuit_open', 'no_turn'] as const)(
    'does not count a service that was not asked (%s) before one that was',
    (reason) => expect(together([noAnswer(reason, 'x'), timeout]).reason).toBe('timeout'),
  );

  it.each<[string, NoAnswer[], NoAnswer['reason'], number]>([
    ['of whoever was asked', [paused, timeout], 'timeout', 10],
    ['of the first who was asked', [timeout, noAnswer('failing', 'rdap: failing')], 'timeout', 5],
    ['of the first, where nobody was', [paused, noAnswer('no_turn', 'x', 2)], 'paused', 2],
  ])('has the reason %s, and the soonest time', (_what, failures, reason, retryAfterSeconds) => {
    expect(together(failures)).toMatchObject({ answered: false, reason, retryAfterSeconds });
  });

  it('tells what became of each', () => {
    expect(together([paused, timeout]).detail).toBe('rdap: paused; availability_service: timeout');
  });

  it('without any service is that nobody was reached', () => {
    expect(together([]).reason).toBe('unreachable');
  });
});

it('who was told no time comes back after five seconds', () => {
  expect(retryAfterOf(noAnswer('timeout', 'x'))).toBe(5);
  expect(retryAfterOf(noAnswer('timeout', 'x', 0.2))).toBe(0.2);
});

describe('unavailable', () => {
  it.each([
    [12.01, 13],
    [0, 1],
    [undefined, 5],
  ])('after %s s says when to try again, in whole seconds (%i)', (retryAfter, seconds) => {
    const error = unavailable(noAnswer('timeout', 'rdap: timeout (5000 ms)', retryAfter));
    expect(error).toMatchObject({ code: 'registry_unavailable', status: 503, retryAfterSeconds: seconds });
    expect(error.message).toBe(
      `No registry answered, so the state of this name is unknown; please try again in ${seconds} s.`,
    );
  });

  it('tells the reason to the log only', () => {
    const error = unavailable(noAnswer('timeout', 'rdap: timeout (5000 ms)'));
    expect(error.cause).toMatchObject({ message: 'rdap: timeout (5000 ms)' });
    expect(error.message).not.toContain('rdap');
  });
});
