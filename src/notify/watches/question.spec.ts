import { readQuestion } from './question.js';

const textOf = async (address: string) => (await readQuestion(address)).text;

describe('readQuestion', () => {
  it.each([
    ['q=cafe&tld=net.au&tld=com.au', 'q=cafe&tld=com.au%2Cnet.au'],
    ['?tld=net.au,com.au&q=cafe&mode=contains', 'q=cafe&tld=com.au%2Cnet.au'],
    ['max_length=8&min_wayback=0&hyphens=allow&numbers=exclude', 'max_length=8&numbers=exclude'],
    ['q=cafe&sort=length&page=3&per_page=25&cursor=x&utm_source=y&stale=include', 'q=cafe'],
    ['mode=prefix&max_length=5', 'max_length=5'],
    ['q=&max_length=5', 'max_length=5'],
    ['q=coffee+shop&match=words', 'q=coffee+shop&match=words'],
    ['match=words&max_length=5', 'max_length=5'],
    ['state=listed&q=bar', 'q=bar&state=listed'],
    ['tld=asn.au', 'tld=asn.au'],
    ['min_wayback=10', 'min_wayback=10'],
    ['hyphens=only', 'hyphens=only'],
  ])('%s is %s', async (address, text) => {
    expect(await textOf(address)).toBe(text);
    expect(await textOf(text)).toBe(text);
  });

  it.each([
    ['', 'Narrow the search'],
    ['state=listed', 'Narrow the search'],
    ['sort=length', 'Narrow the search'],
    ['tld=com.au,net.au,org.au,id.au,asn.au,au', 'Narrow the search'],
    ['max_length=63', 'Narrow the search'],
    ['min_length=2&min_wayback=1&numbers=exclude', 'Narrow the search'],
    ['q=e', 'Narrow the search'],
    ['q=cafe&state=unconfirmed', 'cannot be watched'],
    ['q=UPPER', 'q must be'],
    ['min_length=9&max_length=3', 'min_length must not be greater'],
    ['max_length=8&max_length=9', 'max_length must be given once'],
  ])('%s is refused', async (address, message) => {
    await expect(readQuestion(address)).rejects.toThrow(message);
  });

  it('says which event brings a name into it', async () => {
    expect((await readQuestion('q=cafe')).eventType).toBe('domain.dropped');
    expect((await readQuestion('q=cafe&state=taken')).eventType).toBe('domain.taken');
    expect((await readQuestion('q=cafe&state=purged')).eventType).toBe('domain.purged');
  });
});
