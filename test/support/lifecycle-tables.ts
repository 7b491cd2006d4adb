import { ANSWER_MOVES } from '../../src/domains/lifecycle/answer-moves.js';
import {
  DELISTING,
  LISTING_MOVES,
  LISTING_WORDS,
} from '../../src/domains/lifecycle/listings/listing-moves.js';
import {
  findingOf,
  type Finding,
  REGISTRY_STATES,
  DOMAIN_STATES,
  STATE_NAMES,
} from '../../src/domains/schema/states.js';
import { TIME_MOVES } from '../../src/domains/lifecycle/expiry.repository.js';
import { toMarkdown } from '../../src/validation/formats.js';

const FINDINGS: Readonly<Record<Finding, string>> = {
  free: 'called free',
  held: 'called registered',
  neither: 'called neither',
};

interface Row {
  readonly observed: string;
  readonly from: readonly string[];
  readonly when: string;
  readonly to: string;
  readonly event: string;
}

const ROWS: readonly Row[] = [
  ...LISTING_MOVES.map(({ word, from, when = '', to, event = '' }) => ({
    observed: LISTING_WORDS[word],
    from,
    when,
    to,
    event,
  })),
  { ...DELISTING, observed: 'a revised drop list', from: [DELISTING.from] },
  ...TIME_MOVES.map(({ from, when, to, event = '' }) => ({
    observed: 'time passes',
    from: [from],
    when,
    to,
    event,
  })),
  ...ANSWER_MOVES.map(({ finding, from, when = '', to, event = '' }) => ({
    observed: FINDINGS[finding],
    from,
    when,
    to,
    event,
  })),
];

/** What each state says of a name. */
export function stateTable(): string {
  return toMarkdown([['State', 'Meaning'], ...STATE_NAMES.map((name) => [code(name), DOMAIN_STATES[name]])]);
}

/** What answers of a registry amount to. */
export function findingTable(): string {
  const statesOf = (finding: Finding) =>
    REGISTRY_STATES.filter((state) => findingOf(state) === finding).map(code);
  return toMarkdown([
    ['A registry says', 'The name is'],
    ...(['free', 'held', 'neither'] as const).map((finding) => [
      statesOf(finding).join(', '),
      FINDINGS[finding],
    ]),
  ]);
}

/** Every move, in the order in which they are tried. */
export function moveTable(): string {
  return toMarkdown([
    ['Observed', 'From', 'When', 'To', 'Event'],
    ...ROWS.map(({ observed, from, when, to, event }) => [
      observed,
      isAny(from) ? 'any, or new' : from.map(code).join(', '),
      when,
      to === 'same' ? 'stays' : code(to),
      event && code(event),
    ]),
  ]);
}

/** The moves between states as a picture. */
export function stateDiagram(): string {
  const arrows = new Map<string, Set<string>>();
  for (const { observed, from, to } of ROWS)
    for (const start of isAny(from) ? ['any'] : from) {
      if (to === 'same' || start === to) continue;
      const arrow = `${start === 'new' ? '[*]' : start} --> ${to}`;
      arrows.set(arrow, (arrows.get(arrow) ?? new Set()).add(observed));
    }
  const lines = [...arrows].map(([arrow, observed]) => `  ${arrow} : ${[...observed].join(', or ')}`);
  return ['```mermaid', 'stateDiagram-v2', '  state "any, or new" as any', ...lines, '```'].join('\n');
}

function isAny(from: readonly string[]): boolean {
  return from.length > STATE_NAMES.length;
}

function code(text: string): string {
  return `\`${text}\``;
}
