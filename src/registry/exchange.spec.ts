import { failureCodeOf } from './exchange.js';

describe('failureCodeOf', () => {
  it.each([
    ['a system code', Object.assign(new Error('read'), { code: 'ECONNRESET' }), 'ECONNRESET'],
    ['a name, without a code', new TypeError('Invalid URL'), 'TypeError'],
    ['a name, where the code is a number', Object.assign(new Error('x'), { code: 7 }), 'Error'],
    ['nothing, where it is no error', 'closed', 'unknown'],
    ['nothing, where it is nothing', undefined, 'unknown'],
  ])('says %s', (_what, error, code) => {
    expect(failureCodeOf(error)).toBe(code);
  });
});
