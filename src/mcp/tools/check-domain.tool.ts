import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import { CheckQuery, CheckResult } from '../../api/check/check.dto.js';
import { CheckService } from '../../api/check/check.service.js';
import { READ_ONLY, type Tool } from './tool.js';

@Injectable()
export class CheckDomainTool implements Tool<CheckQuery, CheckResult> {
  readonly name = 'check_domain';
  readonly title = 'Check a domain';
  readonly description =
    'Asks the registry whether one .au name can be registered now, and adds what the dataset knows of it. Use it before you call any name available, also one from suggest_domains. Costs 1 record; a refused or failed check costs nothing. It does not hold, price or register a name, and does not say who owns it or who may have it.';
  readonly arguments = CheckQuery;
  readonly results = [CheckResult];
  readonly annotations = { ...READ_ONLY, openWorldHint: true };
  readonly costsRecords = true;

  constructor(private readonly check: CheckService) {}

  run({ domain }: CheckQuery, caller: Caller): Promise<CheckResult> {
    return this.check.checkDomain(domain, caller);
  }
}
