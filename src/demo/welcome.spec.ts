import { welcome } from './welcome.js';

describe('the welcome of the demo', () => {
  it('names the search page first, and where to sign up where there are accounts', () => {
    const addresses = (hasAccounts: boolean) =>
      [...welcome('http://demo.test', hasAccounts).matchAll(/^ {2}\w.* (http\S+)/gm)].map(([, one]) => one);
    expect(addresses(false)[0]).toBe('http://demo.test/');
    expect(addresses(false)).not.toContain('http://demo.test/sign-up');
    expect(addresses(true).slice(0, 2)).toEqual(['http://demo.test/', 'http://demo.test/sign-up']);
  });

  it('names holders that a registrant can be only where names can be registered', () => {
    expect(welcome('http://demo.test', true, false)).not.toContain('ABN');
    expect(welcome('http://demo.test', true, true)).toMatch(/ABN 53004085616 +Coffee Cart Pty Ltd/);
  });
});
