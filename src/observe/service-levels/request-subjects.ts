import type { Door, Operation } from './objectives.js';

// Many names at once, which are posted, take as long as their caller will wait.
const OPERATION_REQUESTS: Readonly<Record<string, Operation>> = {
  'GET /v1/domains/check': 'check',
  'GET /api/v1/domains/check': 'check',
  'GET /v1/suggest': 'suggest',
  'POST /api/v1/suggest': 'suggest',
  'GET /api/v1/search': 'search',
};

/** What a request is counted as; null: it is asked by who runs the service. */
export function doorOf(path: string): Door | null {
  if (path === '/livez' || path === '/readyz') return null;
  if (path.startsWith('/api/v1/')) return 'api_v1';
  if (path.startsWith('/v1/')) return 'v1';
  return /^\/mcp(?:\/account)?\/?$/.test(path) ? 'mcp' : 'pages';
}

export function operationOf(method: string, path: string): Operation | null {
  return OPERATION_REQUESTS[`${method} ${path}`] ?? null;
}
