import { hasRepeatedKey } from './repeated-key.js';

describe('hasRepeatedKey', () => {
  it.each([
    ['{}', false],
    ['[]', false],
    ['"a"', false],
    ['{"a":1,"b":"a","c":["a","a"]}', false],
    ['{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}', false],
    ['{"a":"\\"a\\":1","b":"a"}', false],
    ['{"a":1,"a":1}', true],
    ['{"a":1,"b":{"x":1},"a":1}', true],
    ['{"a" : 1, "a"\n\t:2}', true],
    ['{"b":[{"a":1,"a":2}]}', true],
    ['{"a":1,"\\u0061":2}', true],
    ['{"a\\\\":1,"a\\\\":2}', true],
    ['{"":1,"":2}', true],
  ])('%s: %s', (text, repeats) => {
    expect(hasRepeatedKey(text)).toBe(repeats);
    // The texts are what they are meant to be.
    expect(() => void JSON.parse(text)).not.toThrow();
  });
});
