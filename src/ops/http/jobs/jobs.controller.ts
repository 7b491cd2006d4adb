import { Body, Controller, Get, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { JsonBodyGuard } from '../../../errors/request-body.js';
import { NoParameters } from '../../../errors/validation.pipe.js';
import { Operation } from '../access/operation.decorator.js';
import { CurrentOperator, ForOperators, type Operator } from '../access/operator.guard.js';
import { Done, ReasonBody } from '../order.js';
import { JobAddress, Jobs } from './jobs.dto.js';
import { OperatorJobs } from './operator-jobs.js';

const NOT_FOUND = ['not_found'] as const;

@ApiTags('Jobs')
@ForOperators()
@Controller()
export class OperatorJobsController {
  constructor(private readonly jobs: OperatorJobs) {}

  @Get('ops/v1/jobs')
  @Operation({
    id: 'listJobs',
    summary: 'What the jobs of the dataset do, and when they are due',
    description: 'Every job that has ever run, with its last failure, and whether an operator has it paused.',
    answer: Jobs,
  })
  list(@Query() _query: NoParameters): Promise<Jobs> {
    return this.jobs.list();
  }

  @Post('ops/v1/jobs/:name/run')
  @UseGuards(JsonBodyGuard)
  @Operation({
    id: 'runJob',
    summary: 'Have one batch of a job begun now',
    description: 'Begun within a second by the process that does the jobs, also of a job that is paused.',
    answer: Done,
    failures: NOT_FOUND,
  })
  run(
    @Param() { name }: JobAddress,
    @Body() { reason }: ReasonBody,
    @CurrentOperator() operator: Operator,
  ): Promise<Done> {
    return this.jobs.runNow(name, { ...operator, reason });
  }

  @Post('ops/v1/jobs/:name/pause')
  @UseGuards(JsonBodyGuard)
  @Operation({
    id: 'pauseJob',
    summary: 'Let a job rest until it is resumed',
    description: 'Kept in PostgreSQL, so that it holds on whichever process. A batch under way is finished.',
    answer: Done,
    failures: NOT_FOUND,
  })
  pause(
    @Param() { name }: JobAddress,
    @Body() { reason }: ReasonBody,
    @CurrentOperator() operator: Operator,
  ): Promise<Done> {
    return this.jobs.pause(name, { ...operator, reason });
  }

  @Post('ops/v1/jobs/:name/resume')
  @UseGuards(JsonBodyGuard)
  @Operation({ id: 'resumeJob', summary: 'Let a paused job go on', answer: Done, failures: NOT_FOUND })
  resume(
    @Param() { name }: JobAddress,
    @Body() { reason }: ReasonBody,
    @CurrentOperator() operator: Operator,
  ): Promise<Done> {
    return this.jobs.resume(name, { ...operator, reason });
  }
}
