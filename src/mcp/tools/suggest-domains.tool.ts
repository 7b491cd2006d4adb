import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import { SuggestQuery, SuggestResult } from '../../api/suggest/suggest.dto.js';
import { SuggestService } from '../../api/suggest/suggest.service.js';
import { CompactList, compactList, Switch } from './compact-list.js';
import { READ_ONLY, type Tool } from './tool.js';

export class SuggestArguments extends SuggestQuery {
  @Switch('Rows without links, a third of the tokens; the register link of the first name only.')
  compact?: boolean;
}

@Injectable()
export class SuggestDomainsTool implements Tool<SuggestArguments, SuggestResult | CompactList> {
  readonly name = 'suggest_domains';
  readonly title = 'Suggest domains';
  readonly description =
    'Finds available .au names whose label matches one keyword, best archive score (wayback) first. Use it to find candidates: one word or part of a word a call, no spaces. Costs the records it returns (none found, none charged); limit is capped by what the budget has left. It ranks by history, not by meaning. Each name was confirmed as available at some time, the note says by whom and when: check_domain says what is true now.';
  readonly arguments = SuggestArguments;
  readonly results = [SuggestResult, CompactList];
  readonly annotations = { ...READ_ONLY, openWorldHint: false };
  readonly costsRecords = true;

  constructor(private readonly suggest: SuggestService) {}

  async run({ compact, ...query }: SuggestArguments, caller: Caller): Promise<SuggestResult | CompactList> {
    const answer = await this.suggest.suggestDomains(query, caller);
    if (!compact) return answer;
    return compactList(
      answer.results.map((data) => ({ data })),
      answer,
    );
  }
}
