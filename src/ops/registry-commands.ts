import { LEARNED_MEANINGS, PARSER_NAMES } from '../registry/rdap-wordings.js';
import { readFileSync } from 'node:fs';
import {
  BY,
  change,
  choice,
  day,
  flag,
  local,
  look,
  number,
  onCommandLine,
  optional,
  text,
  UNTIL,
  withDefault,
} from './command.js';
import * as printing from './printing.js';

/** A file may be longer than the body of a request. */
const MAX_FILE_LENGTH = 10_000_000;

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

const HELD_NAMES = onCommandLine(
  text('The names, one a line; what follows on a comma is left out.', {
    rule: 'must be names, one a line, 90,000 characters at most',
    maxLength: 90_000,
    example: 'surf.au',
  }),
  { name: 'file', read: readNames },
);
const HOLD_SOURCE = text('Where the list is from; it replaces the former list of this source.', {
  rule: 'must be text of 300 characters at most',
  maxLength: 300,
  example: 'auDA, priority status tool',
});
const HOLD_DAY = day('The day of the list.', '2026-11-20', 'AEST');
const HOLD_WHAT = withDefault(
  text('What the names are, as it follows on "It is".', {
    rule: 'must be text of 200 characters at most',
    maxLength: 200,
    example: 'held back by a court',
  }),
  'contested: held until one of its applicants remains (priority allocation)',
);
const HELD_NAME = text('The name.', { rule: 'must be a name', maxLength: 255, example: 'surf.au' });

/** The command line takes them from a file. */
function readNames(path: string): string | undefined {
  const names = readFileSync(path, 'utf8');
  return names.trim() === '' || names.length > MAX_FILE_LENGTH ? undefined : names;
}

const READ_CIRCUIT = look('circuit', 'GET circuit', 'Circuit', {
  summary: 'Whether answers of the registry are written',
  description: 'Too many contradictions in an hour stop all writes, until an operator resets the circuit.',
  run: ({ dataset }) => dataset.readCircuit(),
  print: printing.describeCircuit,
});

const RESET_CIRCUIT = change('circuit reset', 'POST circuit/reset', 'circuit.reset', 'CircuitReset', {
  summary: 'Have answers of the registry written again',
  description: 'After you have checked that the registry is right.',
  run: ({ dataset }, _values, command) => dataset.resetCircuit(command),
  print: ({ lifted }) =>
    lifted
      ? `Answers are written again.\n  ${printing.describeLifted(lifted)}`
      : 'Answers were not stopped.\n',
});

/** The commands about what registries answer and about names that they hold back, for the table of all commands. */
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
  listHolds: look('holds', 'GET holds', 'Holds', {
    summary: 'Names that are held back, with source and date',
    run: ({ registry }) => registry.listHolds(),
    print: ({ holds }) =>
      holds
        .map(({ domain, what, source, as_of }) => `${[domain, as_of, source, what].join('\t')}\n`)
        .join(''),
  }),
  loadHolds: change('holds load', 'POST holds', 'holds.load', 'HoldsLoaded', {
    summary: 'Load a list of names that are held back, such as contested ones',
    description:
      'It takes the place of the former list of the same source: names that are gone from it are released. ' +
      'All processes know it within 30 seconds.',
    arguments: { names: HELD_NAMES, source: HOLD_SOURCE, as_of: HOLD_DAY, what: HOLD_WHAT },
    run: ({ registry }, list, command) => registry.loadHolds(list, command),
  }),
  releaseHold: change('holds release', 'POST holds/release', 'holds.release', 'Done', {
    summary: 'Release one name that is held back',
    arguments: { domain: HELD_NAME },
    run: ({ registry }, { domain }, command) => registry.releaseHold(domain, command),
  }),
  readCircuit: READ_CIRCUIT,
  resetCircuit: RESET_CIRCUIT,
  writes: local({
    words: 'writes',
    only: 'it is the former name of `circuit`',
    replaced: { by: 'circuit, circuit reset', until: UNTIL },
    summary: 'Whether answers of the registry are written',
    arguments: { resume: flag('Have them written again.'), by: optional(BY) },
    async runHere({ resume, by }) {
      const { runCommand } = await import('./local/service.js');
      const reason = 'no reason: the former command has none';
      if (resume) await runCommand(RESET_CIRCUIT, {}, { by, reason });
      else await runCommand(READ_CIRCUIT, {}, {});
    },
  }),
} as const;
