/** What account holders, their name servers and their receivers may try; each list is a kind of row, and all of them are the table. */

/** Hosts of an address: the same machine under every spelling, and what else is nobody's business. */
export const HOSTS = [
  ...['127.0.0.1', '2130706433', '017700000001', '0x7f000001', '0x7f.1', '127.1', '127.0.1', '0177.0.0.1'],
  ...['127.000.000.001', '127.0.0.1.', '127.255.255.254', '0', '0.0.0.0', '00000', '0.1.2.3'],
  ...['%31%32%37.0.0.1', '１２７.０.０.１', '①②⑦.⓪.⓪.①', '127。0。0。1', '3232235777', '0xa9fea9fe'],
  ...['[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ...['[::ffff:8.8.8.8]', '[::ffff:0:8.8.8.8]', '[::127.0.0.1]', '[::7f00:1]', '[::2]'],
  ...['[64:ff9b::7f00:1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]', '[64:ff9b::8.8.8.8]'],
  ...['[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2001::1]', '[2001:db8::1]', '[2001:10::1]', '[2001:20::1]'],
  ...['[fd00::1]', '[fc00::1]', '[fd00:ec2::254]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[ff02::1]'],
  ...[
    '[ff0e::1]',
    '[100::1]',
    '[4000::1]',
    '[e000::1]',
    '[2606:4700::5efe:10.0.0.1]',
    '[2606:4700:64::10.0.0.1]',
  ],
  ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.254', '192.168.1.1', '100.64.0.1'],
  ...[
    '100.127.255.254',
    '100.100.100.200',
    '168.63.129.16',
    '169.254.169.254',
    '169.254.170.2',
    '169.254.1.1',
  ],
  ...['192.0.0.192', '192.0.0.8', '192.0.2.1', '198.51.100.1', '203.0.113.1', '192.88.99.1', '198.18.0.1'],
  ...['198.19.255.254', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'],
] as const;

/** Whole addresses, and what is said of them. */
export const URLS: readonly (readonly [url: string, problem: string])[] = [
  ['http://example.com/', 'must begin with https://'],
  ['http://127.0.0.1:9000/', 'must begin with https://'],
  ['file:///etc/passwd', 'must begin with https://'],
  ['gopher://127.0.0.1:6379/_FLUSHALL', 'must begin with https://'],
  ['ftp://example.com/', 'must begin with https://'],
  ['javascript:alert(1)', 'must begin with https://'],
  ['data:text/plain,x', 'must begin with https://'],
  ['unix:/var/run/docker.sock', 'must begin with https://'],
  ['ws://example.com/', 'must begin with https://'],
  ['//example.com/', 'must be a whole address'],
  ['example.com', 'must be a whole address'],
  ['https://', 'must be a whole address'],
  ['https://256.256.256.256/', 'must be a whole address'],
  ['https://[::1', 'must be a whole address'],
  ['https://exa<mple.com/', 'must be a whole address'],
  ['https://example.com:99999/', 'must be a whole address'],
  ['https://localhost:9000/', 'must lead to a public address'],
  ['https://here.LOCALHOST./', 'must lead to a public address'],
  ['https:127.0.0.1/', 'must lead to a public address'],
  ['https:\\\\127.0.0.1\\', 'must lead to a public address'],
  ['https://ann@example.com/', 'must not hold a user name or a password'],
  ['https://example.com@127.0.0.1/', 'must not hold a user name or a password'],
  ['https://example.com%40127.0.0.1@127.0.0.1/', 'must not hold a user name or a password'],
  ['https://example.com/#part', 'must not hold a fragment'],
  ['https://example.com/\r\nHost: 127.0.0.1', 'must not hold spaces or control characters'],
  ['https://example.com/a b', 'must not hold spaces or control characters'],
  ['https://example.com\t.internal/', 'must not hold spaces or control characters'],
  [`https://example.com/${'x'.repeat(2_048)}`, 'must have at most 2048 characters'],
  ...[1, 21, 22, 23, 25, 53, 80, 110, 143, 445, 465, 587, 636, 993].map(
    (port) => [`https://example.com:${port}/`, 'must have port 443, 8443 or one from 1024 on'] as const,
  ),
  ...[
    'intranet',
    'com',
    'db.internal',
    'nas.local',
    'router.lan',
    'printer.home.arpa',
    'a.test',
    'hidden.onion',
  ].map((host) => [`https://${host}/`, 'must have a name that the whole internet knows'] as const),
  ...['kubernetes.default.svc', 'hooks.svc.cluster.local', 'metadata.google.internal', 'a.localdomain'].map(
    (host) => [`https://${host}/`, 'must have a name that the whole internet knows'] as const,
  ),
];

/** What DNS says of a name that is public by its form, and which of the addresses is refused. */
export const DNS_ANSWERS: readonly (readonly [
  four: readonly string[],
  six: readonly string[],
  refused: string,
])[] = [
  [['127.0.0.1'], [], '127.0.0.1'],
  [['10.0.0.1'], [], '10.0.0.1'],
  [['169.254.169.254'], [], '169.254.169.254'],
  [['168.63.129.16'], [], '168.63.129.16'],
  [['0.0.0.0'], [], '0.0.0.0'],
  [['192.0.43.8', '127.0.0.1'], [], '127.0.0.1'],
  [['127.0.0.1', '192.0.43.8'], [], '127.0.0.1'],
  [[...Array.from({ length: 40 }, (_, place) => `192.0.43.${place + 1}`), '192.168.0.1'], [], '192.168.0.1'],
  [['192.0.43.8'], ['::1'], '::1'],
  [['192.0.43.8'], ['::ffff:127.0.0.1'], '::ffff:127.0.0.1'],
  [['192.0.43.8'], ['fd00::1'], 'fd00::1'],
  [['192.0.43.8'], ['fe80::1'], 'fe80::1'],
  [['192.0.43.8'], ['64:ff9b::a9fe:a9fe'], '64:ff9b::a9fe:a9fe'],
  [['192.0.43.8'], ['2606:4700::5efe:a00:1'], '2606:4700::5efe:a00:1'],
  [[], ['::'], '::'],
  [[], ['2002:7f00:1::'], '2002:7f00:1::'],
];

const OK = 'HTTP/1.1 200 OK\r\n';

/** What a receiver sends back, byte for byte, and what is made of it; null: no answer, and a problem that is told. */
export const RECEIVER_ANSWERS: readonly (readonly [what: string, bytes: string, status: number | null])[] = [
  [
    'a redirect within',
    'HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n',
    302,
  ],
  [
    'a redirect that keeps the method',
    'HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n',
    307,
  ],
  ['a refresh', `${OK}Refresh: 0; url=http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n`, 200],
  ['another service', `${OK}Alt-Svc: h2="127.0.0.1:443"\r\nContent-Length: 0\r\n\r\n`, 200],
  [
    'another protocol',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
    101,
  ],
  [
    'a thousand early hints',
    `${'HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n'.repeat(1_000)}${OK}Content-Length: 0\r\n\r\n`,
    200,
  ],
  ['no HTTP at all', 'SSH-2.0-OpenSSH_9.2\r\n', null],
  ['nothing', '', null],
  ['headers without end', `${OK}${'X-Fill: x\r\n'.repeat(5_000)}`, null],
  ['one header of 32 kB', `${OK}X-Fill: ${'x'.repeat(32_768)}\r\n\r\n`, null],
  ['a length that is none', `${OK}Content-Length: many\r\n\r\n`, null],
  ['two lengths', `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`, null],
  ['a length and chunks', `${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, null],
  ['a chunk of the size of a disk', `${OK}Transfer-Encoding: chunked\r\n\r\nffffffff\r\nxxxx`, 200],
  ['a null in a header', `${OK}X-Null: a\0b\r\n\r\n`, null],
  ['a body of 1 MB', `${OK}Content-Length: 1048576\r\n\r\n${'x'.repeat(1_048_576)}`, 200],
  ['a body that says it is packed', `${OK}Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nxxxx`, 200],
  ['cookies', `${OK}Set-Cookie: session=1\r\nContent-Length: 0\r\n\r\n`, 200],
  ['a status beyond all', 'HTTP/1.1 999 Beyond\r\nContent-Length: 0\r\n\r\n', 999],
  ['a status of one digit', 'HTTP/1.1 2 OK\r\n\r\n', null],
];

const URL_FIELD = { url: 'https://example.com/hooks' };

/** Bodies of POST /api/v1/webhooks that are refused. */
export const BODIES: readonly (readonly [what: string, body: string])[] = [
  ['no JSON', '{'],
  ['a list', '[]'],
  ['a number', '7'],
  ['no address', '{}'],
  ['an address that is a list', JSON.stringify({ url: ['https://example.com/'] })],
  ['an address that is an object', JSON.stringify({ url: { href: 'https://example.com/' } })],
  ['a prototype', '{"url":"https://example.com/","__proto__":{"isAdmin":true}}'],
  ['a constructor', '{"url":"https://example.com/","constructor":{"prototype":{}}}'],
  ['an id', JSON.stringify({ ...URL_FIELD, id: '0b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d' })],
  [
    "somebody else's account",
    JSON.stringify({ ...URL_FIELD, account_id: '0b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d' }),
  ],
  ['a secret of its own', JSON.stringify({ ...URL_FIELD, secret: 'whsec_AAAA' })],
  ['a proof of its own', JSON.stringify({ ...URL_FIELD, host_proven: true })],
  ['headers of its own', JSON.stringify({ ...URL_FIELD, headers: { Host: 'localhost' } })],
  ['a pattern that is a program', JSON.stringify({ ...URL_FIELD, q: '(a+)+$' })],
  ['wildcards of SQL', JSON.stringify({ ...URL_FIELD, q: '%_%' })],
  ['an event that there is not', JSON.stringify({ ...URL_FIELD, events: ['domain.hidden_from_us'] })],
  ['the same event twice', JSON.stringify({ ...URL_FIELD, events: ['domain.dropped', 'domain.dropped'] })],
  ['a thousand suffixes', JSON.stringify({ ...URL_FIELD, tld: Array(1_000).fill('com.au') })],
  ['a batch of a million', JSON.stringify({ ...URL_FIELD, batch_size: 1_000_000 })],
  ['a score beyond numbers', JSON.stringify({ ...URL_FIELD, min_wayback: 1e308 })],
  ['a null character', JSON.stringify({ ...URL_FIELD, description: 'a\0b' })],
  ['a description of a megabyte', JSON.stringify({ ...URL_FIELD, description: 'x'.repeat(1_048_576) })],
  ['lists within lists', `{"url":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
];

/** Headers of the same, with a body that is fine. */
export const HEADERS: readonly (readonly [what: string, name: string, value: string, status: number])[] = [
  ['a form', 'Content-Type', 'application/x-www-form-urlencoded', 415],
  ['plain text', 'Content-Type', 'text/plain', 415],
  ['another alphabet', 'Content-Type', 'application/json; charset=iso-8859-1', 415],
  ['a packing that there is not', 'Content-Encoding', 'compress', 415],
  ['a key of one space', 'Idempotency-Key', 'a b', 400],
  ['a key of 256 characters', 'Idempotency-Key', 'x'.repeat(256), 400],
  ['a key beyond ASCII', 'Idempotency-Key', 'schl\u00fcssel', 400],
  ["somebody else's key", 'Authorization', 'Bearer bb_live_0000000000000000000000000000000000000000', 401],
  ['another scheme', 'Authorization', 'Basic YTpi', 401],
];
