import { EXPORTED, fieldOf, RESTRICTED, SCHEMA_VERSION } from './fields.js';

/** What files of the dataset gained with each of their schema versions. */
const GAINED: Readonly<Record<number, readonly string[]>> = {
  1: [
    'domain',
    'tld',
    'length',
    'wayback',
    'first_seen',
    'available',
    'hyphens',
    'numbers',
    'dropped_at',
    'state',
    'confirmed',
    'confirmed_by',
    'checked_at',
    'list_kind',
    'listed_at',
    'purge_at',
    'archive.status',
    'archive.first_capture',
    'archive.last_capture',
    'archive.captures',
  ],
  2: ['letters'],
};

describe('the fields', () => {
  it('that every tier sees are the nine of the specification', () => {
    expect(RESTRICTED).toEqual([
      'domain',
      'tld',
      'length',
      'wayback',
      'first_seen',
      'available',
      'register_url',
      'detail_url',
      'wayback_url',
    ]);
  });

  it('that files gain raise their schema version', () => {
    const versions = Object.keys(GAINED).map(Number);
    for (const version of versions)
      expect(EXPORTED.filter((name) => (fieldOf(name).since ?? 1) === version)).toEqual(GAINED[version]);
    expect(SCHEMA_VERSION).toBe(Math.max(...versions));
  });
});
