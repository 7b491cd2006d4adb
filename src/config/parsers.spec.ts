import { bucket, operatorKey, postgresUrl, prices, registrars as parseRegistrars } from './parsers.js';
import { readConfig } from './read-config.js';
import { InvalidSetting } from './setting.js';

describe('the address of a database', () => {
  it.each([
    ['postgres://a:b%3F@h:5/d', 'postgres://a:b%3F@h:5/d'],
    ['postgres://h/d?application_name=x', 'postgres://h/d'],
    [
      'postgresql:///d?host=/run&application%5Fname=x&sslmode=require',
      'postgresql:///d?host=/run&sslmode=require',
    ],
  ])('leaves the name of its connections to the service: %s', (given, read) => {
    expect(postgresUrl(given)).toBe(read);
  });
});

describe('the address of a bucket', () => {
  it('has endpoint, bucket, prefix, region and what signs requests', () => {
    expect(bucket('https://AKIA:a%2Fb@s3.example.net/names/daily/au?region=ap-southeast-2')).toEqual({
      endpoint: 'https://s3.example.net',
      name: 'names',
      prefix: 'daily/au/',
      region: 'ap-southeast-2',
      accessKeyId: 'AKIA',
      secretAccessKey: 'a/b',
    });
    expect(bucket('http://k:s@127.0.0.1:9000/names')).toMatchObject({
      endpoint: 'http://127.0.0.1:9000',
      prefix: '',
      region: 'us-east-1',
    });
  });

  it.each([
    '',
    'names',
    's3://k:s@names',
    'https://s3.example.net/names',
    'https://k@s3.example.net/names',
    'https://k:s@s3.example.net/',
    'http://k:s@s3.example.net/names',
    'https://k:s@s3.example.net/names?zone=1',
  ])('is not %j', (text) => {
    expect(() => bucket(text)).toThrow(InvalidSetting);
  });
});

const TEMPLATE = 'https://www.example.com/?d={domain}';

describe('the settings of pages', () => {
  it('has the one registrar of the template where none are named', () => {
    expect(readConfig({ REGISTER_URL_TEMPLATE: TEMPLATE }).site.registrars).toEqual([
      { name: 'example.com', url: TEMPLATE, earns: false },
    ]);
  });

  it('takes registrars in their order, and prices by tier', () => {
    const registrars = [
      { name: 'Other', url: 'https://other.example/buy/{domain}', earns: true },
      { name: 'One', url: TEMPLATE, earns: false },
    ];
    expect(parseRegistrars(JSON.stringify(registrars))).toEqual(registrars);
    expect(prices('{"pro":"$149 a month"}')).toEqual({ pro: '$149 a month' });
  });

  it.each([
    '',
    '{}',
    '[]',
    '[{"name":"One","url":"https://one.example/"}]',
    '[{"name":"One","url":"javascript:{domain}","earns":false}]',
    '[{"name":"One","url":"https://user@one.example/{domain}","earns":false}]',
    `[{"name":"${'x'.repeat(61)}","url":"${TEMPLATE}","earns":false}]`,
    JSON.stringify(Array.from({ length: 9 }, () => ({ name: 'One', url: TEMPLATE, earns: false }))),
  ])('refuses %s as registrars', (text) => {
    expect(() => parseRegistrars(text)).toThrow(/^a JSON list/);
  });

  it.each(['[]', '{"gold":"$1"}', '{"pro":1}', '{"pro":" "}'])('refuses %s as prices', (text) => {
    expect(() => prices(text)).toThrow(/^a JSON object/);
  });
});

const HASH = 'ab'.repeat(32);

describe('an entry of OPERATOR_KEY_HASH', () => {
  it.each([
    [`alice:${HASH}`, { name: 'alice', role: 'act', until: null }],
    [`alice:${HASH}:look`, { name: 'alice', role: 'look', until: null }],
    [`alice:${HASH}:act:2027-01-31`, { role: 'act', until: new Date('2027-01-31T00:00:00Z') }],
  ])('%s', (text, expected) => {
    expect(operatorKey(text)).toMatchObject(expected);
  });

  it.each([
    `alice:${HASH}:rule`,
    `alice:${HASH}:look:2027-02-30`,
    `alice:${HASH}:look:2027-13-01`,
    `alice:${HASH}:look:tomorrow`,
    `alice:${HASH}:2027-01-31`,
    'alice',
  ])('not %s', (text) => {
    expect(() => operatorKey(text)).toThrow('NAME:HASH');
  });
});
