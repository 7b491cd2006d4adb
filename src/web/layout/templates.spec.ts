import { TEMPLATES, template } from './templates.js';

const CASES = [...TEMPLATES].flatMap(([name, variables]) =>
  [...variables].map((one) => [name, one] as const),
);

describe('templates', () => {
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
