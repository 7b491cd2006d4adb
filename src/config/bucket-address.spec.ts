import { parseBucketAddress } from './bucket-address.js';

describe('the address of a bucket', () => {
  it('has endpoint, bucket, prefix, region and what signs requests', () => {
    expect(
      parseBucketAddress('https://AKIA:a%2Fb@s3.example.net/names/daily/au?region=ap-southeast-2'),
    ).toEqual({
      endpoint: 'https://s3.example.net',
      name: 'names',
      prefix: 'daily/au/',
      region: 'ap-southeast-2',
      accessKeyId: 'AKIA',
      secretAccessKey: 'a/b',
    });
    expect(parseBucketAddress('http://k:s@127.0.0.1:9000/names')).toMatchObject({
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
    expect(parseBucketAddress(text)).toBeNull();
  });
});
