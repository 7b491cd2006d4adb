import { failureCodeOf } from './failure-code.js';

describe('failureCodeOf', () => {
  it.each([
    ['a system code', Object.assign(new Error('read'), { code: 'ECONNRESET' }), 'ECONNRESET'],
    [
      'a system code in the cause, where fetch puts it',
      new TypeError('fetch failed', { cause: Object.assign(new Error('read'), { code: 'ENOTFOUND' }) }),
      'ENOTFOUND',
    ],
    ['a name, without a code', new TypeError('Invalid URL'), 'TypeError'],
    ['a name in the cause', new Error('x', { cause: new RangeError('y') }), 'RangeError'],
    ['its own name, where the cause is no error', new Error('x', { cause: 'y' }), 'Error'],
    ['a name, where the code is a number', Object.assign(new Error('x'), { code: 7 }), 'Error'],
    ['nothing, where it is no error', 'closed', 'unknown'],
    ['nothing, where it is nothing', undefined, 'unknown'],
  ])('says %s', (_what, error, code) => {
    expect(failureCodeOf(error)).toBe(code);
  });
});
