import { writtenMinutes } from './span.js';

it.each([
  ['2026-11-22T10:05:19Z', '2026-11-22T10:04:00.000Z'],
  ['2026-11-22T10:05:20Z', '2026-11-22T10:05:00.000Z'],
])('at %s the minutes to %s are over and written', (now, to) => {
  const span = writtenMinutes(new Date('2026-11-01T00:00:59Z'), new Date(now));
  expect([span.from, span.to].map((time) => time.toISOString())).toEqual(['2026-11-01T00:00:00.000Z', to]);
});
