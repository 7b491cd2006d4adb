import { doorOf, operationOf } from './request-subjects.js';

it.each([
  ['/v1/stats', 'v1'],
  ['/api/v1/search', 'api_v1'],
  ['/mcp', 'mcp'],
  ['/mcp/', 'mcp'],
  ['/mcp/account', 'mcp'],
  ['/domains/a.com.au', 'pages'],
  ['/', 'pages'],
  ['/livez', null],
  ['/readyz', null],
])('%s comes through the door %s', (path, door) => {
  expect(doorOf(path)).toBe(door);
});

it.each([
  ['GET', '/v1/domains/check', 'check'],
  ['POST', '/api/v1/domains/check', null],
  ['POST', '/api/v1/suggest', 'suggest'],
  ['GET', '/api/v1/search', 'search'],
  ['GET', '/api/v1/dropped', null],
])('%s %s is timed as %s', (method, path, operation) => {
  expect(operationOf(method, path)).toBe(operation);
});
