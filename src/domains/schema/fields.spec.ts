import {
  detailUrl,
  EXPORTED,
  fieldOf,
  registerUrl,
  RESTRICTED,
  SCHEMA_VERSION,
  waybackUrl,
} from './fields.js';

/** What files of the dataset gained with each of their schema versions. */
const GAINED: Readonly<Record<number, readonly string[]>> = {
  1: [
    'domain',
    'tld',
    'length',
    'wayback',
    'first_seen',
    'available',
    'hyphens',
    'numbers',
    'dropped_at',
    'state',
    'confirmed',
    'confirmed_by',
    'checked_at',
    'list_kind',
    'listed_at',
    'purge_at',
    'archive.status',
    'archive.first_capture',
    'archive.last_capture',
    'archive.captures',
  ],
  2: ['letters'],
};

describe('the fields', () => {
  it('that every tier sees are the nine of the specification', () => {
    expect(RESTRICTED).toEqual([
      'domain',
      'tld',
      'length',
      'wayback',
      'first_seen',
      'available',
      'register_url',
      'detail_url',
      'wayback_url',
    ]);
  });

  it('that files gain raise their schema version', () => {
    const versions = Object.keys(GAINED).map(Number);
    for (const version of versions)
      expect(EXPORTED.filter((name) => (fieldOf(name).since ?? 1) === version)).toEqual(GAINED[version]);
    // 3 is the form of files and manifests.
    expect(SCHEMA_VERSION).toBe(Math.max(3, ...versions));
  });
});

describe('registerUrl', () => {
  it('puts the name where the template says', () => {
    expect(registerUrl('https://shop.example/buy?domain={domain}', 'coffee.com.au')).toBe(
      'https://shop.example/buy?domain=coffee.com.au',
    );
  });

  it('fills every place', () => {
    expect(registerUrl('https://shop.example/{domain}?q={domain}', 'coffee.au')).toBe(
      'https://shop.example/coffee.au?q=coffee.au',
    );
  });

  it('keeps text that looks like a replacement pattern', () => {
    expect(registerUrl("https://shop.example/$&?$'={domain}", 'coffee.au')).toBe(
      "https://shop.example/$&?$'=coffee.au",
    );
  });
});

describe('every link', () => {
  it('percent-encodes what could break out of its place', () => {
    expect(registerUrl('https://shop.example/?d={domain}&x=1', 'a&b=c d/..')).toBe(
      'https://shop.example/?d=a%26b%3Dc%20d%2F..&x=1',
    );
    expect(detailUrl('https://names.example', 'a/b?c#d')).toBe('https://names.example/domains/a%2Fb%3Fc%23d');
    expect(waybackUrl('a/b?c#d')).toBe('https://web.archive.org/web/*/a%2Fb%3Fc%23d');
  });
});

it('detailUrl and waybackUrl name the domain', () => {
  expect(detailUrl('https://names.example/app', 'coffee.com.au')).toBe(
    'https://names.example/app/domains/coffee.com.au',
  );
  expect(waybackUrl('coffee.com.au')).toBe('https://web.archive.org/web/*/coffee.com.au');
});
