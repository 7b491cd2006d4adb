import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../access/caller.js';
import { DroppedQuery } from '../../../api/dropped/dropped.dto.js';
import { DroppedService } from '../../../api/dropped/dropped.service.js';
import { CompactList, compactList } from '../compact-list.js';
import { READ_ONLY, type Tool } from '../tool.js';

const NEWS = {
  'domain.dropped': 'dropped',
  'domain.taken': 'taken',
  'domain.listed': 'listed',
  'domain.purged': 'purged',
  'domain.rescued': 'rescued',
  'domain.removed': 'removed',
  'domain.restored': 'restored',
} as const;

@Injectable()
export class DroppedSinceTool implements Tool<DroppedQuery, CompactList> {
  readonly name = 'dropped_since';
  readonly title = 'Dropped since';
  readonly description =
    'What happened to names since a time, oldest first: domain.dropped (became available), domain.taken (registered again). Use it to watch: begin with since, keep next_cursor, and call again with cursor alone to hear of what is new, each event once. Costs the records it returns. Needs a tier with the feed.';
  readonly arguments = DroppedQuery;
  readonly results = [CompactList];
  readonly annotations = { ...READ_ONLY, openWorldHint: false };
  readonly costsRecords = true;

  constructor(private readonly dropped: DroppedService) {}

  async run(query: DroppedQuery, caller: Caller): Promise<CompactList> {
    const { results, ...answer } = await this.dropped.listEvents(query, caller);
    return compactList(
      results.map(({ data, type, timestamp }) => ({ data, news: [NEWS[type], timestamp] })),
      answer,
    );
  }
}
