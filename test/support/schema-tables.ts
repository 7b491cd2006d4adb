import { eventOf, FEED_TYPES } from '../../src/domains/schema/events.js';
import { FIELD_NAMES, type FieldType, fieldOf } from '../../src/domains/schema/fields.js';
import { toMarkdown } from '../../src/validation/formats.js';

const TYPES: Readonly<Record<FieldType, string>> = {
  text: 'string',
  integer: 'integer',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  link: 'string',
};

/** The fields as docs/API.md has them. */
export function fieldTable(): string {
  return toMarkdown([
    ['Field', 'Type', 'Tiers', 'Meaning'],
    ...FIELD_NAMES.map((name) => {
      const { type, nullable, tier, description } = fieldOf(name);
      const words = `${TYPES[type]}${nullable ? ' or null' : ''}`;
      return [`\`${name}\``, words, tier === 'all' ? 'all' : 'full fields', description];
    }),
  ]);
}

const READERS = { usual: 'by default', asked: 'on request', full: 'on request, full fields' } as const;

/** The events as docs/API.md has them. */
export function eventList(): string {
  return FEED_TYPES.map((type) => {
    const { when, feed } = eventOf(type);
    return `- \`${type}\` (${READERS[feed]}): ${when.replace(/,? \(.*/, '')}`;
  }).join('\n');
}
