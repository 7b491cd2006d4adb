import { readSigns } from './site-signs.js';

const page = (year: number, title: string, text = '') => ({ year, title, text });

describe('readSigns', () => {
  it('tells what a site was about, the most mentioned first', () => {
    const { topics, signs } = readSigns([
      page(2012, 'Slow Coffee', 'Espresso and beans. Our bakery is near.'),
      page(2018, 'Slow Coffee', 'Coffee by subscription, and pizza'),
    ]);
    expect(topics).toEqual(['coffee']);
    expect(signs).toEqual([]);
  });

  it('warns with the words and the years it rests on', () => {
    const { signs } = readSigns([
      page(2012, 'Smith & Daughters', 'Solicitors and conveyancing in Hobart'),
      page(2019, 'Best online casino', 'pokies and free spins'),
      page(2021, 'smith.com.au', 'Buy this domain. Related searches'),
      page(2022, 'ブランド コピー 激安', ''),
    ]);
    expect(signs).toEqual([
      { warning: 'spam', evidence: [{ year: 2022, words: ['激安', 'コピー', 'ブランド'] }] },
      { warning: 'parking', evidence: [{ year: 2021, words: ['buy this domain', 'related searches'] }] },
      {
        warning: 'gambling',
        evidence: [{ year: 2019, words: ['casino', 'online casino', 'pokies', 'free spins'] }],
      },
      { warning: 'practice', evidence: [{ year: 2012, words: ['solicitors', 'conveyancing'] }] },
    ]);
  });

  it.each([
    ['one word in passing', page(2012, 'Crown Street Hotel', 'Near the casino')],
    ['part of another word', page(2012, 'Pokerface Band', 'We are not a judiciary')],
  ])('does not warn for %s', (_, one) => {
    expect(readSigns([one]).signs).toEqual([]);
  });
});
