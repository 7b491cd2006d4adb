import { DESCRIPTION, VERSION } from '../config/product.js';

/** Where the tool server answers, below BASE_URL. */
export const MCP_PATH = 'mcp';

/** What the server says of itself: in the handshake, in server.json, in the server card and in llms.txt. */
export const MCP_IDENTITY = {
  name: 'bowerbird',
  title: 'Bowerbird: dropped Australian domain names',
  version: VERSION,
  description: DESCRIPTION,
} as const;

/** Read by the agent before anything else, and paid for in its tokens: what to call in which order, and what to mind. */
export const MCP_INSTRUCTIONS = [
  'Dropped Australian names (com.au, net.au, org.au, id.au, asn.au, au) that can be registered again.',
  'Order: suggest_domains to find (compact: true saves tokens), upcoming_drops to look ahead, check_domain before you call a name available, register_domain for the checkout link. Nothing here buys or registers.',
  'Budget: check and register cost 1 record, lists cost the records they return, stats nothing. Every metered answer has rate; when remaining is 0, wait reset_in seconds.',
  'registry.source "sandbox" means a made-up registry: such answers say nothing about the real world.',
].join('\n');

/** Added for callers with a key, who are offered more. */
export const KEYED_TOOLS_RULE =
  'More with this key: list_filters and search_domains to find by many filters, check_domains for up to 20 at once, domain_report to compare, dropped_since to watch, usage for what is left.';

/** Added to the instructions and to the prompt where there are keys: an hour or a month is not to be waited for. */
export const QUOTA_RULE =
  'With a key there may be quota too; when its remaining is 0, do not wait: tell the user that it is full again at resets_at.';
