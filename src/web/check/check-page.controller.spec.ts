import { namesIn } from './check-page.controller.js';

describe('names that were pasted', () => {
  it.each([
    [
      'one a line, with empty ones between',
      'a.au\r\n\r\n  b.com.au \nc.id.au',
      ['a.au', 'b.com.au', 'c.id.au'],
    ],
    ['on one line', ' a.au, b.com.au;c.id.au d.au', ['a.au', 'b.com.au', 'c.id.au', 'd.au']],
    ['a table with its heading', 'price,Domain\n3,a.au\n"4,5",b.au', ['a.au', 'b.au']],
    ['a table without', 'a.au,3\nb.au,4', ['a.au', 'b.au']],
  ])('%s', (_, text, names) => expect(namesIn(text)).toEqual(names));

  it('takes a file as well', () => expect(namesIn('a.au', 'domain\nb.au')).toEqual(['a.au', 'b.au']));

  it.each([
    ['nothing', ' \n ', 'Enter at least one name'],
    ['too many', 'a.au\n'.repeat(201), 'These are 201 names'],
    ['a quote that is not closed', 'a.au\n"b.au', 'not valid CSV'],
  ])('refuses %s', (_, text, message) => expect(() => namesIn(text)).toThrow(message));
});
