import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../access/caller.js';
import { SearchQuery } from '../../../api/search/search.dto.js';
import { SearchService } from '../../../api/search/search.service.js';
import { CompactList, compactList } from '../compact-list.js';
import { READ_ONLY, type Tool } from '../tool.js';

@Injectable()
export class SearchDomainsTool implements Tool<SearchQuery, CompactList> {
  readonly name = 'search_domains';
  readonly title = 'Search domains';
  readonly description =
    'Available .au names by any mix of keyword, suffixes, length, hyphens, digits, score and first day, sorted and page by page, with how many match (total). Use it where suggest_domains has no such filter. Costs the records it returns: per_page 1 is enough to count. check_domain says what is true now.';
  readonly arguments = SearchQuery;
  readonly results = [CompactList];
  readonly annotations = { ...READ_ONLY, openWorldHint: false };
  readonly costsRecords = true;

  constructor(private readonly search: SearchService) {}

  async run(query: SearchQuery, caller: Caller): Promise<CompactList> {
    const { results, ...answer } = await this.search.searchDomains(query, caller);
    return compactList(
      results.map((data) => ({ data })),
      answer,
    );
  }
}
