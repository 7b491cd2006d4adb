import { networkOf } from './audit.repository.js';

it.each([
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['203.0.113.77:5678', '203.0.113.0/24'],
  ['[2001:db8:1:2::9]:443', '2001:db8:1::/48'],
  ['nonsense', null],
  [undefined, null],
])('%s is kept as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
