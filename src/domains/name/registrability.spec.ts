import { parseDomainName } from './domain-name.js';
import { judgeRegistrability } from './registrability.js';

it.each([
  ['coffee.com.au', true, true, null],
  ['coffee.com.au', false, false, null],
  ['coffee.com.au', null, null, null],
  ['anzac.com.au', true, null, 'restricted'],
  ['anzac.com.au', false, false, 'restricted'],
  ['anzac.com.au', null, null, 'restricted'],
  ['www.au', true, false, 'reserved'],
  ['www.au', null, false, 'reserved'],
])('%s with free: %j is registrable: %j, for the reason %j', (domain, free, registrable, reason) => {
  expect(judgeRegistrability(parseDomainName(domain), free)).toEqual({ registrable, reason });
});
