import { LEARNED_MEANINGS, PARSER_NAMES } from '../registry/rdap-wordings.js';
import { change, choice, look, number, optional, text, withDefault } from './command.js';

const DAYS_BACK = withDefault(
  number('Answers of the last so many days.', { minimum: 1, maximum: 4_000 }),
  30,
);
const WORDING = text('The text, whole; case and punctuation do not count.', {
  rule: 'must be text of 2,000 characters at most',
  maxLength: 2_000,
  pattern: /[\p{L}\p{N}]/u,
  example: 'No object was found',
});
const WORDING_SOURCE = text('Where it was read, or who confirmed it, and when.', {
  rule: 'must be text of 300 characters at most',
  maxLength: 300,
  example: 'mail of the registry, 20 November 2026',
});
const MEANING = withDefault(
  choice(
    '`not_found`: "not found", or nothing about the name; the other texts leave it unknown, reserved or declined.',
    LEARNED_MEANINGS,
  ),
  'not_found',
);

/** The commands about what registries answer, for the table of all commands. */
export const REGISTRY_COMMANDS = {
  replayAnswers: look('registry replay', 'GET registry/replay', 'Replay', {
    summary: 'Judge kept answers again, and list the verdicts that would change',
    description:
      'With REGISTRY_PARSER=former, what the newest rules would change is listed before they are in use. ' +
      'Nothing is written.',
    arguments: {
      days: DAYS_BACK,
      parser: withDefault(choice('The rules to judge by.', PARSER_NAMES), 'newest'),
      wording: optional({
        ...WORDING,
        description: 'A text that says "not found", to try as if it had been added.',
      }),
    },
    run: ({ registry }, { days, parser, wording }) => registry.replay(days, parser, wording),
  }),
  listUnknownAnswers: look('registry unknown-answers', 'GET registry/unknown-answers', 'UnknownAnswers', {
    summary: 'Answers of registries that the rules do not know',
    arguments: { days: DAYS_BACK },
    run: ({ registry }, { days }) => registry.listUnknown(days),
  }),
  listWordings: look('registry wordings', 'GET registry/wordings', 'Wordings', {
    summary: 'Texts of registries that were reviewed, with source and date',
    run: ({ registry }) => registry.listWordings(),
  }),
  addWording: change('registry add-wording', 'POST registry/wordings', 'registry.add-wording', 'Done', {
    summary: 'Add a whole text of a registry, and what it means',
    description: 'After you have read it in a real answer. All processes know it within 30 seconds.',
    arguments: { text: WORDING, source: WORDING_SOURCE, meaning: MEANING },
    run: ({ registry }, wording, command) => registry.addWording(wording, command),
  }),
  removeWording: change(
    'registry remove-wording',
    'POST registry/wordings/remove',
    'registry.remove-wording',
    'Done',
    {
      summary: 'Remove such a text again',
      arguments: { text: WORDING },
      run: ({ registry }, { text: wording }, command) => registry.removeWording(wording, command),
    },
  ),
} as const;
