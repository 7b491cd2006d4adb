import { findAuService } from './rdap-bootstrap.js';

const list = (...services: unknown[]) => ({ version: '1.0', services });

describe('findAuService', () => {
  it.each([
    [
      'the entry of .au',
      list([['com'], ['https://a.example/']], [['au'], ['https://b.example/rdap/']]),
      'https://b.example/rdap/',
    ],
    [
      'an entry shared by several suffixes',
      list([['nz', 'AU'], ['https://b.example/']]),
      'https://b.example/',
    ],
    ['an address without its slash', list([['au'], ['https://b.example/rdap']]), 'https://b.example/rdap/'],
    ['https beside http', list([['au'], ['http://b.example/', 'https://c.example/']]), 'https://c.example/'],
    [
      'a later entry when the first is empty',
      list([['au'], []], [['au'], ['https://c.example/']]),
      'https://c.example/',
    ],
  ])('finds %s', (_what, given, address) => {
    expect(findAuService(given)).toBe(address);
  });

  it.each([
    ['no list', null],
    ['no services', {}],
    ['another shape', list('au', ['au', 'https://b.example/'], [[]])],
    ['no .au', list([['com'], ['https://a.example/']])],
    ['http only', list([['au'], ['http://b.example/']])],
    ['an address with a query', list([['au'], ['https://b.example/?name=']])],
    ['no address', list([['au'], [42, 'b.example']])],
  ])('refuses %s', (_what, given) => {
    expect(() => findAuService(given)).toThrow('no https service');
  });
});
