import { change, look, number, text, withDefault } from './command.js';
import * as printing from './printing.js';

/** The service reads it: the command line loads no code for addresses before a command runs. */
const NETWORK = text('The network; an IPv6 address alone is its /64.', {
  rule: 'must be an address, or a network such as 203.0.113.0/24',
  maxLength: 60,
  pattern: /^[\da-f:.]+(\/\d{1,3})?$/i,
  example: '203.0.113.0/24',
});
const MAX_HOURS = 24 * 366;
const FOR_A_TIME = {
  network: NETWORK,
  hours: withDefault(number('For how many hours.', { minimum: 1, maximum: MAX_HOURS }), 24),
};

/** The commands about networks, for the table of all commands. */
export const NETWORK_COMMANDS = {
  listNetworkRules: look('networks', 'GET networks', 'NetworkRules', {
    summary: 'Networks that are blocked or allowed, until when and why',
    run: ({ networks }) => networks.listRules(),
  }),
  listTakers: look('networks top', 'GET networks/top', 'Takers', {
    summary: 'Who takes most: networks, accounts and keys',
    description:
      'Records sent, list pages, and requests refused with 401, 403 or 429, over all instances; without bulk checks.',
    arguments: {
      hours: withDefault(number('In the last so many hours.', { minimum: 1, maximum: 48 }), 24),
      limit: withDefault(number('How many.', { minimum: 1, maximum: 300 }), 50),
    },
    run: ({ networks }, { hours, limit }) => networks.listTakers(hours, limit),
    print: printing.describeTakers,
  }),
  blockNetwork: change('networks block', 'POST networks/block', 'network.block', 'Done', {
    summary: 'Block a network for a time',
    description:
      'Its requests get 403 network_blocked within ten seconds. Operators and probes are not blocked.',
    arguments: FOR_A_TIME,
    failures: ['limit_reached'],
    run: ({ networks }, { network, hours }, command) => networks.set(network, 'block', hours, command),
    print: (_, { network, hours }) => `${network} is blocked for ${hours} h\n`,
  }),
  allowNetwork: change('networks allow', 'POST networks/allow', 'network.allow', 'Done', {
    summary: 'Except a network from the shares of networks for a time',
    description:
      'The limits of tiers still apply to each of its callers. It also opens a part of a blocked network.',
    arguments: FOR_A_TIME,
    failures: ['limit_reached'],
    run: ({ networks }, { network, hours }, command) => networks.set(network, 'allow', hours, command),
    print: (_, { network, hours }) => `${network} is allowed for ${hours} h\n`,
  }),
  clearNetwork: change('networks clear', 'POST networks/clear', 'network.clear', 'Done', {
    summary: 'Clear the rule about a network',
    arguments: { network: NETWORK },
    run: ({ networks }, { network }, command) => networks.clear(network, command),
    print: ({ changed }, { network }) => `${network} has no rule${printing.asItWas(changed)}\n`,
  }),
} as const;
