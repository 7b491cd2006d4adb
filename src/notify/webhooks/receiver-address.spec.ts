import { judgeNewReceiver, judgeReceiver, isAllowedAddress } from './receiver-address.js';

const NOT_PUBLIC = 'must lead to a public address';
const PORTS = 'must have port 443, 8443 or one from 1024 on';

describe('judgeReceiver', () => {
  it.each([
    'https://example.com/hooks',
    'https://example.com:443/hooks?for=drops',
    'https://example.com:8443/',
    'https://example.com:1024/',
    'https://example.com:65535/',
    'https://8.8.8.8/hooks',
    'https://[2606:4700::1111]/hooks',
    'https://localhost.example.com/',
    'https://notlocalhost.com/',
    'https://xn--bcher-kva.example.com.au./',
    'https://example.com/%20',
    // One of 2,048 characters, which is the longest.
    `https://example.com/${'x'.repeat(2_028)}`,
  ])('takes %s', (text) => {
    expect(judgeReceiver(text, false)).toBeNull();
  });

  const LONG = 'must have at most 2048 characters, those beyond ASCII as they are encoded';
  it.each([
    ['https://example.com/ hooks', 'must not hold spaces or control characters'],
    ['https://example.com/\u0000', 'must not hold spaces or control characters'],
    ['https://example.com/\u0085', 'must not hold spaces or control characters'],
    ['example.com/hooks', 'must be a whole address, such as https://example.com/hooks'],
    ['', 'must be a whole address, such as https://example.com/hooks'],
    [`https://example.com/${'x'.repeat(2_029)}`, LONG],
    [`https://example.com/${'ä'.repeat(400)}`, LONG],
    ['https://me@example.com/', 'must not hold a user name or a password'],
    ['https://:secret@example.com/', 'must not hold a user name or a password'],
    ['https://example.com/#hooks', 'must not hold a fragment (#)'],
    ['http://example.com/', 'must begin with https://'],
    ['ftp://example.com/', 'must begin with https://'],
    ['http://127.0.0.1/', 'must begin with https://'],
    ['https://localhost/', NOT_PUBLIC],
    ['https://LOCALHOST./', NOT_PUBLIC],
    ['https://hooks.localhost/', NOT_PUBLIC],
    ['https://127.0.0.1/', NOT_PUBLIC],
    ['https://2130706433/', NOT_PUBLIC],
    ['https://0x7f.1/', NOT_PUBLIC],
    ['https://[::1]/', NOT_PUBLIC],
    ['https://10.0.0.1/', NOT_PUBLIC],
    ['https://168.63.129.16/', NOT_PUBLIC],
    ['https://example.com:80/', PORTS],
    ['https://example.com:22/', PORTS],
    ['https://example.com:1023/', PORTS],
    ['https://8.8.8.8:25/', PORTS],
  ])('refuses %j', (text, problem) => {
    expect(judgeReceiver(text, false)).toBe(problem);
  });

  it.each([
    'http://localhost:3000/',
    'https://localhost:3000/',
    'http://hooks.localhost/',
    'http://127.0.0.1:80/',
    'http://127.1.2.3/',
    'http://[::1]:3000/',
    'https://[::1]/',
    'https://example.com/hooks',
  ])('takes %s where this machine is allowed', (text) => {
    expect(judgeReceiver(text, true)).toBeNull();
  });

  it.each([
    ['http://example.com/', 'must begin with https://'],
    ['http://10.0.0.1/', 'must begin with https://'],
    ['http://8.8.8.8/', 'must begin with https://'],
    ['ftp://localhost/', 'must begin with https://'],
    ['https://10.0.0.1/', NOT_PUBLIC],
    ['https://me@localhost/', 'must not hold a user name or a password'],
  ])('refuses %s even there', (text, problem) => {
    expect(judgeReceiver(text, true)).toBe(problem);
  });
});

describe('judgeNewReceiver', () => {
  it.each([
    'https://notlocalhost/',
    'https://intranet./',
    'https://com/',
    'https://db.internal/',
    'https://nas.local/',
    'https://router.lan/',
    'https://printer.home.arpa/',
    'https://1.0.0.10.in-addr.arpa/',
    'https://hooks.svc.cluster.local/',
    'https://metadata.google.internal/',
    'https://a.test/',
    'https://hidden.onion/',
  ])('refuses %s', (text) => {
    expect(judgeNewReceiver(text, false)).toBe(
      'must have a name that the whole internet knows, such as hooks.example.com',
    );
    expect(judgeReceiver(text, false)).toBeNull();
  });

  it.each([
    'https://example.com/',
    'https://hooks.example.com.au./',
    'https://my_hooks.example.com/',
    'https://hooks.onion.com/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ])('takes %s', (text) => {
    expect(judgeNewReceiver(text, false)).toBeNull();
  });

  it('takes this machine where it is allowed, and what is wrong anyway is said first', () => {
    expect(judgeNewReceiver('http://localhost:3000/', true)).toBeNull();
    expect(judgeNewReceiver('http://intranet/', false)).toBe('must begin with https://');
    expect(judgeNewReceiver('https://intranet/', true)).toMatch(
      /^must have a name that the whole internet knows/,
    );
  });
});

describe('isAllowedAddress', () => {
  it.each([
    ['8.8.8.8', true],
    ['168.63.129.15', true],
    ['2606:4700::1111', true],
    ['127.0.0.1', false],
    ['::1', false],
    ['0.0.0.0', false],
    ['10.0.0.1', false],
    ['169.254.169.254', false],
    // A cloud's metadata service under a number that looks public.
    ['168.63.129.16', false],
    ['fd00:ec2::254', false],
    // Given out to nobody, or IPv4 in the clothes of IPv6.
    ['4000::1', false],
    ['::ffff:8.8.8.8', false],
    ['64:ff9b::7f00:1', false],
    ['2002:7f00:1::', false],
    ['2002:808:808::1', false],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', false],
    // In a public prefix: ISATAP with either bit, a translator's prefix of each length; and similar hosts
    // that embed nothing.
    ['2606:4700::5efe:10.0.0.1', false],
    ['2606:4700::200:5efe:192.168.1.1', false],
    ['2606:4700:1:2:0:5efe:7f00:1', false],
    ['2606:4700::5efe:8.8.8.8', true],
    ['2606:4700:64::10.0.0.1', false],
    ['2606:4700:64::169.254.169.254', false],
    ['2606:4700:a00:1::', false],
    ['2606:4700:6c0:a801:1::', false],
    ['2606:4700:64:ac10:1:100::', false],
    ['2606:4700:64:7f:0:1::', false],
    ['2606:4700:64:1:7f:0:100:0', false],
    ['2606:4700:64:1:a:1:200:0', false],
    ['2001:4860:4860::8888', true],
    ['2620:fe::fe', true],
    ['2a00:1450:4009:815::200e', true],
    ['2606:4700::6810:84e5', true],
  ])('%s: %s', (address, allowed) => {
    expect(isAllowedAddress(address, false)).toBe(allowed);
  });

  it.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['10.0.0.1', false],
    ['0.0.0.0', false],
    ['8.8.8.8', true],
  ])('%s, where this machine is allowed: %s', (address, allowed) => {
    expect(isAllowedAddress(address, true)).toBe(allowed);
  });
});
