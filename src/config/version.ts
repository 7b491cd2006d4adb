/** The version of package.json, which version.spec.ts compares: of the API, its documents and its tool server. */
export const VERSION = '1.0.0';

/** What the service is, in at most 100 characters: the limit of server.json and of MCP's server card. */
export const DESCRIPTION =
  'Find, check and hand off available Australian (.au) domain names, ranked by archive score.';
