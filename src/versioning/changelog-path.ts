/** Where the table of deprecations is shown, below BASE_URL. */
export const CHANGELOG_PATH = 'changelog';
