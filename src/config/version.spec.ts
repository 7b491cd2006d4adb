import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { VERSION } from './product.js';

it('is the version of package.json', () => {
  const text = readFileSync(resolve(__dirname, '../../package.json'), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ version: VERSION });
});
