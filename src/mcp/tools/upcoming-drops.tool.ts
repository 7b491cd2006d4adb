import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import { DropsService } from '../../api/drops/drops.service.js';
import { UpcomingQuery } from '../../api/drops/upcoming.dto.js';
import { CompactList, compactList } from './compact-list.js';
import { READ_ONLY, type Tool } from './tool.js';

@Injectable()
export class UpcomingDropsTool implements Tool<UpcomingQuery, CompactList> {
  readonly name = 'upcoming_drops';
  readonly title = 'Upcoming drops';
  readonly description =
    'Names on the official drop lists that the registry is about to purge, the next purge first (UTC). Use it to watch for names that will be free soon. Until then the holder may get a name back, and nobody can register it: check_domain after its purge. Costs the records it returns.';
  readonly arguments = UpcomingQuery;
  readonly results = [CompactList];
  readonly annotations = { ...READ_ONLY, openWorldHint: false };
  readonly costsRecords = true;

  constructor(private readonly drops: DropsService) {}

  async run(query: UpcomingQuery, caller: Caller): Promise<CompactList> {
    const { results, ...answer } = await this.drops.listUpcoming(query, caller);
    return compactList(
      results.map(({ data, purge_at }) => ({ data, news: ['purge', purge_at] })),
      answer,
    );
  }
}
