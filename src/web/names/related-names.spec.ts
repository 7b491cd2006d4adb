import { wordIn } from './related-names.js';

it.each([
  ['coffeeroastery', 'roastery'],
  ['cafes-24', 'cafes'],
  ['melbourneplumber', 'melbourne'],
  ['zxqvkjw', null],
  ['24', null],
  ['abc', null],
])('names related to %s share the word %s', (label, word) => {
  expect(wordIn(label)).toBe(word);
});
