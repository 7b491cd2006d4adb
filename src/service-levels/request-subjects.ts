import type { Door, Operation } from './objectives.js';

const OPERATION_PATHS: Readonly<Record<string, Operation>> = {
  '/v1/domains/check': 'check',
  '/api/v1/domains/check': 'check',
  '/v1/suggest': 'suggest',
  '/api/v1/search': 'search',
};

/** What a request is counted as; null: it is asked by who runs the service. */
export function doorOf(path: string): Door | null {
  if (path === '/livez' || path === '/readyz') return null;
  if (path.startsWith('/api/v1/')) return 'api_v1';
  if (path.startsWith('/v1/')) return 'v1';
  return /^\/mcp\/?$/.test(path) ? 'mcp' : 'pages';
}

export function operationOf(path: string): Operation | null {
  return OPERATION_PATHS[path] ?? null;
}
