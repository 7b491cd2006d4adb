import fc from 'fast-check';
import { crc32 } from 'node:zlib';
import { hashApiKey, holdsApiKey, isApiKey, KEY_KINDS, maskApiKeys, mintApiKey } from './api-key.js';

const kinds = fc.constantFrom(...KEY_KINDS);
const BASE62 = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];

describe('mintApiKey', () => {
  it.each(KEY_KINDS)('makes a %s key: prefix, 30 characters, 6 of checksum', (kind) => {
    const { text, hash, start, tail } = mintApiKey(kind);
    expect(text).toMatch(new RegExp(`^dau_${kind}_[0-9A-Za-z]{36}$`));
    expect(text.startsWith(start) && text.endsWith(tail)).toBe(true);
    expect([start.length, tail.length]).toEqual([13, 4]);
    expect(hash).toEqual(hashApiKey(text));
    expect(hash).toHaveLength(32);
  });

  it('ends in the base-62 CRC-32 of what is before', () => {
    const { text } = mintApiKey('live');
    const value = [...text.slice(-6)].reduce((sum, digit) => sum * 62 + BASE62.indexOf(digit), 0);
    expect(value).toBe(crc32(text.slice(0, -6)));
  });

  it('never makes the same key twice, and uses every character', () => {
    const keys = Array.from({ length: 500 }, () => mintApiKey('live').text.slice(9, 39));
    expect(new Set(keys).size).toBe(500);
    expect(new Set(keys.join('')).size).toBe(62);
  });
});

describe('isApiKey', () => {
  it('knows every key that was made', () => {
    fc.assert(fc.property(kinds, (kind) => isApiKey(mintApiKey(kind).text)));
  });

  it('catches every wrong character', () => {
    fc.assert(
      fc.property(kinds, fc.nat(44), fc.constantFrom(...BASE62), (kind, place, other) => {
        const { text } = mintApiKey(kind);
        const wrong = text.slice(0, place) + other + text.slice(place + 1);
        expect(isApiKey(wrong)).toBe(wrong === text);
      }),
    );
  });

  it('catches neighbours that changed places', () => {
    fc.assert(
      fc.property(kinds, fc.integer({ min: 9, max: 43 }), (kind, place) => {
        const { text } = mintApiKey(kind);
        const [one, two] = [text.charAt(place), text.charAt(place + 1)];
        const wrong = text.slice(0, place) + two + one + text.slice(place + 2);
        expect(isApiKey(wrong)).toBe(wrong === text);
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['a line break after it', `${mintApiKey('live').text}\n`],
    ['a space before it', ` ${mintApiKey('live').text}`],
    ['one too long', `${mintApiKey('live').text}0`],
    ['another prefix', mintApiKey('live').text.replace('live', 'dead')],
    ['other letter case', mintApiKey('live').text.toLowerCase()],
  ])('refuses %s', (_, text) => {
    expect(isApiKey(text)).toBe(false);
  });

  it('refuses any other text', () => {
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => !isApiKey(text)));
  });
});

describe('maskApiKeys', () => {
  it('leaves no more of a key than what is shown anyway, wherever it stands', () => {
    fc.assert(
      fc.property(kinds, fc.string(), fc.string(), fc.nat(8), (kind, before, after, cut) => {
        const { text } = mintApiKey(kind);
        const line = `${before} ${text.slice(0, text.length - cut)} ${after} ${text}`;
        expect(holdsApiKey(line)).toBe(true);
        expect(maskApiKeys(line)).not.toContain(text.slice(9, 21));
        expect(holdsApiKey(maskApiKeys(line))).toBe(false);
      }),
    );
  });

  it('leaves everything else alone', () => {
    fc.assert(fc.property(fc.string(), (text) => holdsApiKey(text) || maskApiKeys(text) === text));
    expect(maskApiKeys('/v1/suggest?q=dau_live_')).toBe('/v1/suggest?q=dau_live_');
  });
});
