/** The prefixes that carry an OpenAPI document of their own: the live paths and the planned layout. */
export const API_PREFIXES = ['v1', 'api/v1'] as const;
export type ApiPrefix = (typeof API_PREFIXES)[number];

/** The prefix of an address, in any case, as Express matches it; of one below neither the live one. */
export function prefixOf(path: string): ApiPrefix {
  return API_PREFIXES.find((prefix) => `${path.toLowerCase()}/`.startsWith(`/${prefix}/`)) ?? 'v1';
}

/** Where the OpenAPI document of a prefix is served, with a leading slash. */
export function documentPath(prefix: ApiPrefix): string {
  return `/${prefix}/openapi.json`;
}
