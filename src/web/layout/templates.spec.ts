import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../../config/product.js';
import { TEMPLATES, template } from './templates.js';

const CASES = [...TEMPLATES].flatMap(([name, variables]) =>
  [...variables].map((one) => [name, one] as const),
);

/** What is left of a template without code, tags and drawings: its text, and the texts of its attributes. */
function textOf(source: string): string {
  const markup = source.replace(/<%[^]*?%>/g, '').replace(/<(pre|svg)\b[^]*?<\/\1>/g, '');
  const attributes = [...markup.matchAll(/ (?:aria-label|alt|title|data-l|data-label)="([^"]*)"/g)];
  return [markup.replace(/<[^>]*>/g, ' '), ...attributes.map(([, text = '']) => text)].join(' ');
}

/** For programs and agents, which read English. */
const OF_PROGRAMS = ['atom', 'find-a-name', 'llms'];

describe('templates', () => {
  it('hold no text: it is in the catalogue', () => {
    const own = [...TEMPLATES.keys()]
      .filter((name) => !OF_PROGRAMS.includes(name))
      .map((name) => [
        name,
        textOf(readFileSync(join(PROJECT_FOLDER, `src/web/templates/${name}.eta`), 'utf8')),
      ])
      .filter(([, text = '']) => /[A-Za-z]/.test(text.replace(/Bowerbird|OpenAPI|PDF|&\w+;|\b[JKOS]\b/g, '')))
      .map(([name, text = '']) => `${name}: ${text.replace(/\s+/g, ' ')}`);
    expect(own).toEqual([]);
  });

  it.each(CASES)('%s is not rendered without %s', (name, missing) => {
    const variables = [...(TEMPLATES.get(name) ?? [])].filter((one) => one !== missing);
    const view = Object.fromEntries(variables.map((one) => [one, '']));
    expect(() => template(name)(view)).toThrow(`${name}.eta needs ${missing}`);
  });

  it('a name without a file fails when it is asked for', () => {
    expect(() => template('no-such-page')).toThrow('There is no template no-such-page.eta');
  });

  it('values are escaped', () => {
    const time = template<{ iso: string; full: string; words: string }>('time');
    expect(time({ iso: '"', full: '<', words: '&' })).toBe(
      '<time datetime="&quot;" title="&lt;">&amp;</time>',
    );
  });
});
