import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller.js';
import { SuggestQuery, SuggestResult } from '../../suggest/suggest.dto.js';
import { SuggestService } from '../../suggest/suggest.service.js';
import { READ_ONLY, type Tool } from './tool.js';

@Injectable()
export class SuggestDomainsTool implements Tool<SuggestQuery, SuggestResult> {
  readonly name = 'suggest_domains';
  readonly title = 'Suggest domains';
  readonly description =
    'Finds available .au names whose label matches one keyword, best archive score (wayback) first. Use it to find candidates: one word or part of a word a call, no spaces. Costs the records it returns (none found, none charged); limit is capped by what the budget has left. It ranks by history, not by meaning. Each name was confirmed as available at some time, the note says by whom and when: check_domain says what is true now.';
  readonly arguments = SuggestQuery;
  readonly result = SuggestResult;
  readonly annotations = { ...READ_ONLY, openWorldHint: false };
  readonly costsRecords = true;

  constructor(private readonly suggest: SuggestService) {}

  run(query: SuggestQuery, caller: Caller): Promise<SuggestResult> {
    return this.suggest.suggestDomains(query, caller);
  }
}
