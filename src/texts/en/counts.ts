/** Numbers of things. A language has a text for each kind of number that it tells apart. */
export const counts = {
  name: { one: '{count} name', other: '{count} names' },
  droppedName: { one: '{count} dropped name', other: '{count} dropped names' },
  offer: { one: '{count} offer', other: '{count} offers' },
  record: { one: '{count} record', other: '{count} records' },
  year: { one: '{count} year', other: '{count} years' },
  character: { one: '{count} character', other: '{count} characters' },
  letter: { one: '{count} letter', other: '{count} letters' },
  day: { one: '{count} day', other: '{count} days' },
  formerSite: { one: '{count} site', other: '{count} sites' },
  hour: { one: '{count} hour', other: '{count} hours' },
  capture: { one: '{count} capture', other: '{count} captures' },
  differentDay: { one: '{count} different day', other: '{count} different days' },
  change: { one: 'A change of a name that you watch', other: '{count} changes of names that you watch' },
  expired: { one: '{count} expired name', other: '{count} expired names' },
  deleted: { one: '{count} deleted name', other: '{count} deleted names' },
  listed: { one: '{count} listed name', other: '{count} listed names' },
} as const;
