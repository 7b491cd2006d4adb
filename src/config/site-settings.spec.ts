import { readPrices, readRegistrars } from './site-settings.js';

const TEMPLATE = 'https://www.example.com/?d={domain}';

describe('the settings of pages', () => {
  it('has the one registrar of the template where none are named', () => {
    expect(readRegistrars(undefined, TEMPLATE, [])).toEqual([
      { name: 'example.com', url: TEMPLATE, earns: false },
    ]);
  });

  it('takes registrars in their order, and prices by tier', () => {
    const registrars = [
      { name: 'Other', url: 'https://other.example/buy/{domain}', earns: true },
      { name: 'One', url: TEMPLATE, earns: false },
    ];
    const problems: string[] = [];
    expect(readRegistrars(JSON.stringify(registrars), TEMPLATE, problems)).toEqual(registrars);
    expect(readPrices('{"pro":"$149 a month"}', problems)).toEqual({ pro: '$149 a month' });
    expect(problems).toEqual([]);
  });

  it.each([
    '',
    '{}',
    '[]',
    '[{"name":"One","url":"https://one.example/"}]',
    '[{"name":"One","url":"javascript:{domain}","earns":false}]',
    '[{"name":"One","url":"https://user@one.example/{domain}","earns":false}]',
    `[{"name":"${'x'.repeat(61)}","url":"${TEMPLATE}","earns":false}]`,
    JSON.stringify(Array.from({ length: 9 }, () => ({ name: 'One', url: TEMPLATE, earns: false }))),
  ])('refuses %s as registrars', (text) => {
    const problems: string[] = [];
    readRegistrars(text, TEMPLATE, problems);
    expect(problems).toEqual([expect.stringContaining('REGISTRARS must be')]);
  });

  it.each(['[]', '{"gold":"$1"}', '{"pro":1}', '{"pro":" "}'])('refuses %s as prices', (text) => {
    const problems: string[] = [];
    readPrices(text, problems);
    expect(problems).toEqual([expect.stringContaining('PRICES must be')]);
  });
});
