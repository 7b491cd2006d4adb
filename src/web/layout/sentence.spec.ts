import { sentence } from './sentence.js';

const escaped = (text: string) => text.replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const say = (text: string, slots = {}) => sentence(escaped, text, slots);

it('values, links and our own markup fill a sentence', () => {
  expect(
    say('<strong>{left}</strong> left, {when}: <plans>compare</plans>.', {
      left: 1_000,
      when: { html: '<time>now</time>' },
      plans: '/pricing',
    }),
  ).toBe('<strong>1,000</strong> left, <time>now</time>: <a href="/pricing">compare</a>.');
  expect(say('<text>By text</text>', { text: { href: '/?q="', rel: 'nofollow' } })).toBe(
    '<a rel="nofollow" href="/?q=&quot;">By text</a>',
  );
});

it('neither a text nor a value brings markup along', () => {
  expect(say('1 < 2: {name}', { name: '<b>' })).toBe('1 &lt; 2: &lt;b>');
});

it('a sentence with a hole in it is not said', () => {
  expect(() => say('Look at {name}')).toThrow('“Look at {name}” needs name');
  expect(() => say('<plans>Plans</plans>')).toThrow('needs plans');
});
