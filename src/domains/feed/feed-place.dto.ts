import { ApiSchema } from '@nestjs/swagger';
import { Cursor, Moment } from '../schema/list-parameters.js';

@ApiSchema({
  name: 'FeedPlace',
  description: 'Where in the feed to begin: a time, or the place that an earlier answer reached.',
})
export class FeedPlace {
  @Moment(
    'Where to begin: events of this time and later (ISO 8601 with an offset). Either this or cursor is needed.',
    '2026-11-18T00:00:00Z',
  )
  since?: string;

  @Cursor('answer', 'next_cursor of the answer before; instead of since.')
  cursor?: string;
}
