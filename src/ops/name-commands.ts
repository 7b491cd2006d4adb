import { NAME_FAILURES } from '../errors/error-codes.js';
import { change, look, text } from './command.js';
import * as printing from './printing.js';

export const DOMAIN = text('The name.', { rule: 'must be a name', maxLength: 255, example: 'surf.com.au' });
const OF_A_NAME = { arguments: { domain: DOMAIN }, failures: [...NAME_FAILURES, 'not_found'] } as const;

const OF_A_SITE = { arguments: { domain: DOMAIN }, failures: NAME_FAILURES } as const;

/** The commands about single names, for the table of all commands. */
export const NAME_COMMANDS = {
  showName: look('dataset show', 'GET dataset/:domain', 'NameEvidence', {
    summary: 'All evidence about a name',
    description: 'Its row, list, answers, events, and what operators did to it.',
    ...OF_A_NAME,
    run: ({ dataset }, { domain }) => dataset.show(domain),
  }),
  checkName: change('dataset check', 'POST dataset/:domain/check', 'domain.check', 'NameChecked', {
    summary: 'Check a name with the registry now',
    description: "Costs one of the registry's turns. The answer is kept, as any other.",
    arguments: { domain: DOMAIN },
    failures: [...NAME_FAILURES, 'registry_unavailable'],
    run: ({ dataset }, { domain }, command) => dataset.check(domain, command),
  }),
  hideName: change('dataset hide', 'POST dataset/:domain/hide', 'domain.hide', 'Done', {
    summary: 'Withhold a name',
    description:
      'From discovery, the feed and exports. Subscribers with a copy receive `domain.removed`, without ' +
      'the reason. A check of the name still answers with the registry.',
    ...OF_A_NAME,
    run: ({ dataset }, { domain }, command) => dataset.setHidden(domain, true, command),
    print: ({ changed }, { domain }) => `${domain} is hidden${printing.asItWas(changed)}\n`,
  }),
  unhideName: change('dataset unhide', 'POST dataset/:domain/unhide', 'domain.unhide', 'Done', {
    summary: 'Show a name again',
    description: 'Feed, exports and webhooks receive the event of its current state.',
    ...OF_A_NAME,
    run: ({ dataset }, { domain }, command) => dataset.setHidden(domain, false, command),
    print: ({ changed }, { domain }) => `${domain} is shown${printing.asItWas(changed)}\n`,
  }),
  removeSite: change('former-site remove', 'POST dataset/:domain/former-site/remove', 'site.remove', 'Done', {
    summary: "Delete the text of a name's former site",
    description:
      'Deletes its pages and titles, and keeps them from being read again: for requests of owners.',
    ...OF_A_SITE,
    run: ({ dataset }, { domain }, command) => dataset.removeSite(domain, command),
    print: ({ changed }, { domain }) =>
      `The former site of ${domain} is removed${printing.asItWas(changed)}\n`,
  }),
  restoreSite: change(
    'former-site restore',
    'POST dataset/:domain/former-site/restore',
    'site.restore',
    'Done',
    {
      summary: 'Let a former site that was removed be read again',
      ...OF_A_SITE,
      run: ({ dataset }, { domain }, command) => dataset.restoreSite(domain, command),
      print: ({ changed }, { domain }) =>
        `The former site of ${domain} may be read${printing.asItWas(changed)}\n`,
    },
  ),
  removeName: change('dataset remove', 'POST dataset/:domain/remove', 'domain.remove', 'Done', {
    summary: 'Delete a name and its history',
    description: 'The next list that has it brings it back; hide a name that has to stay away.',
    ...OF_A_NAME,
    run: ({ dataset }, { domain }, command) => dataset.remove(domain, command),
    print: (_, { domain }) => `${domain} is forgotten\n`,
  }),
} as const;
