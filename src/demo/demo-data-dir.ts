/**
 * The demo keeps its made-up names and its sandbox's answers apart from real data, so that `npm start` can never serve
 * them as true.
 */
export const DEMO_DATA_DIR = '.bowerbird/demo';
