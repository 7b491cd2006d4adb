import { callerIdOfAddress } from './caller.js';

describe('callerIdOfAddress', () => {
  it.each([
    ['203.0.113.7', 'ip:203.0.113.7'],
    ['::ffff:203.0.113.7', 'ip:203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', 'ip:2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', 'ip:2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', 'ip:2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'ip:fe80::/64'],
    ['::1', 'ip:::/64'],
    ['nonsense', 'ip:unknown'],
    [undefined, 'ip:unknown'],
  ])('%s counts as %s', (address, id) => {
    expect(callerIdOfAddress(address)).toBe(id);
  });
});
