import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../access/caller.js';
import { NameFilterQuery } from '../../../domains/schema/filters/parameters.js';
import { FacetsResult } from '../../../api/facets/facets.dto.js';
import { FacetsService } from '../../../api/facets/facets.service.js';
import { READ_ONLY, type Tool } from '../tool.js';

@Injectable()
export class ListFiltersTool implements Tool<NameFilterQuery, FacetsResult> {
  readonly name = 'list_filters';
  readonly title = 'List filters';
  readonly description =
    'How many available names there are by suffix, length, hyphens, digits, score and month, within the filters that are given: what one filter more would leave. Use it to choose the filters of search_domains, or to count. Costs nothing, with q 1 record.';
  readonly arguments = NameFilterQuery;
  readonly results = [FacetsResult];
  readonly annotations = { ...READ_ONLY, openWorldHint: false };
  readonly costsRecords = false;

  constructor(private readonly facets: FacetsService) {}

  run(query: NameFilterQuery, caller: Caller): Promise<FacetsResult> {
    return this.facets.countFacets(query, caller);
  }
}
