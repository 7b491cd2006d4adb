import { isWithin, networkIn, readNetworks } from './key-networks.js';

describe('networkIn', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['2001:db8:1:2:3::/48', '2001:db8:1::/48'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['::ffff:203.0.113.7/120', '203.0.113.0/24'],
  ])('%s is the network %s', (text, network) => {
    expect(networkIn(text)).toBe(network);
  });

  it.each([
    '',
    '203.0.113',
    '203.0.113.7/33',
    '203.0.113.7/0',
    '0.0.0.0/0',
    '2001:db8::/129',
    'a.au',
    '1/8',
    '10.0.0.1/-1',
    '::ffff:203.0.113.0/96',
    '::ffff:203.0.113.0/24',
  ])('%s is none', (text) => {
    expect(networkIn(text)).toBeNull();
  });
});

describe('isWithin', () => {
  const networks = ['203.0.113.0/24', '2001:db8:1::/48'];
  it.each([
    ['203.0.113.9', true],
    ['::ffff:203.0.113.9', true],
    ['203.0.113.9:4711', true],
    ['[2001:db8:1::9]:4711', true],
    ['203.0.114.9', false],
    ['2001:db8:1:ffff::1', true],
    ['2001:db8:2::1', false],
    [undefined, false],
    ['unknown', false],
  ])('of %s it is %s', (address, expected) => {
    expect(isWithin(address, networks)).toBe(expected);
  });

  it('a key without networks may be used from anywhere', () => {
    expect(isWithin('198.51.100.1', [])).toBe(true);
  });
});

it('networks are written with commas, spaces or line breaks between', () => {
  expect(readNetworks(' 203.0.113.0/24,2001:db8::/48\r\n198.51.100.1 ')).toEqual([
    '203.0.113.0/24',
    '2001:db8::/48',
    '198.51.100.1',
  ]);
});
