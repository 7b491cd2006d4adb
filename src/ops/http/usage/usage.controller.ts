import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Operation } from '../access/operation.decorator.js';
import { ForOperators } from '../access/operator.guard.js';
import { OperatorUsage } from './operator-usage.js';
import { Charged, ChargedPageQuery, ChargedQuery } from './usage.dto.js';

@ApiTags('Usage')
@ForOperators()
@Controller()
export class OperatorUsageController {
  constructor(private readonly usage: OperatorUsage) {}

  @Get('ops/v1/usage')
  @Operation({
    id: 'listUsage',
    summary: 'What was charged, by account, key and day',
    description: 'Exactly what the budgets charged, over all instances; kept 25 months.',
    answer: Charged,
  })
  list(@Query() query: ChargedPageQuery): Promise<Charged> {
    return this.usage.list(query);
  }

  @Get('ops/v1/usage.csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  @Header('Content-Disposition', 'attachment; filename="usage.csv"')
  @ApiProduces('text/csv')
  @Operation({ id: 'downloadUsage', summary: 'The same as a file', failures: ['limit_reached'] })
  @ApiOkResponse({ description: 'The file.', content: { 'text/csv': { schema: { type: 'string' } } } })
  write(@Query() query: ChargedQuery): Promise<string> {
    return this.usage.write(query);
  }
}
