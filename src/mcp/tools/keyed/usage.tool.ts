import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../access/caller.js';
import { NoParameters } from '../../../errors/validation.pipe.js';
import { Usage } from '../../../api/usage/usage.dto.js';
import { UsageService } from '../../../api/usage/usage.service.js';
import { READ_ONLY, type Tool } from '../tool.js';

@Injectable()
export class UsageTool implements Tool<NoParameters, Usage> {
  readonly name = 'usage';
  readonly title = 'Usage';
  readonly description =
    'What is left of the budgets of this key, when they are full again, and what its tier includes. Use it before work that costs many records. Costs nothing.';
  readonly arguments = NoParameters;
  readonly results = [Usage];
  readonly annotations = { ...READ_ONLY, openWorldHint: false };
  readonly costsRecords = false;

  constructor(private readonly usage: UsageService) {}

  run(_: NoParameters, caller: Caller): Promise<Usage> {
    return this.usage.readUsage(caller);
  }
}
