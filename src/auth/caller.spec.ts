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
    // As some proxies write them into X-Forwarded-For.
    ['203.0.113.7:5678', 'ip:203.0.113.7'],
    ['[2001:db8:1:2::1]:443', 'ip:2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]', 'ip:2001:db8:1:2::/64'],
    ['[::ffff:203.0.113.7]:80', 'ip:203.0.113.7'],
    ['2001:db8::1:443', 'ip:2001:db8::/64'],
    ['203.0.113.7:567890', 'ip:unknown'],
    ['203.0.113.7:', 'ip:unknown'],
    ['[2001:db8::1', 'ip:unknown'],
    [`[${':'.repeat(100_000)}]`, 'ip:unknown'],
    ['nonsense', 'ip:unknown'],
    [undefined, 'ip:unknown'],
  ])('%s counts as %s', (address, id) => {
    expect(callerIdOfAddress(address)).toBe(id);
  });
});
