/** The version of package.json, which version.spec.ts compares: of the API, its documents and its tool server. */
export const VERSION = '1.0.0';
