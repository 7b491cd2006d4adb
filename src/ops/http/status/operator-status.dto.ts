import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Status } from '../../../api/status/status.dto.js';

const TIME = { type: String, format: 'date-time', example: '2026-11-22T05:00:00.000Z' } as const;
const COUNT = { type: 'integer', minimum: 0, example: 0 } as const;

@ApiSchema({ name: 'JobsAtAGlance' })
export class JobsAtAGlance {
  @ApiProperty({ description: 'Whether a process does the jobs.', example: true })
  are_done: boolean;

  @ApiProperty({ description: 'Those whose last batch failed.', isArray: true, type: String, example: [] })
  failing: string[];

  @ApiProperty({
    description: 'Those that an operator has paused.',
    isArray: true,
    type: String,
    example: [],
  })
  paused: string[];

  @ApiProperty({
    description: 'Those that were due more than five minutes ago.',
    isArray: true,
    type: String,
    example: [],
  })
  late: string[];
}

@ApiSchema({ name: 'WebhooksAtAGlance' })
export class WebhooksAtAGlance {
  @ApiProperty({ ...COUNT, description: 'Webhooks that are on.' })
  enabled: number;

  @ApiProperty({ ...COUNT, description: 'Events that nobody has handed over yet.' })
  waiting_events: number;

  @ApiProperty({ ...COUNT, description: 'Deliveries that wait.' })
  pending: number;

  @ApiProperty({
    ...COUNT,
    description:
      'Deliveries of accounts that are disabled or have no webhooks, and to hosts that are not proven.',
  })
  held: number;

  @ApiProperty({ ...COUNT, description: 'Delivered within a day.' })
  delivered_today: number;

  @ApiProperty({ ...COUNT, description: 'Failed within a day.' })
  failed_today: number;

  @ApiProperty({ ...TIME, nullable: true, description: 'Since when the oldest of them waits.' })
  oldest_waiting: string | null;
}

@ApiSchema({ name: 'AccountsAtAGlance' })
export class AccountsAtAGlance {
  @ApiProperty({ ...COUNT, description: 'All of them.' })
  all: number;

  @ApiProperty({ ...COUNT, description: 'Those that an operator has disabled.' })
  disabled: number;

  @ApiProperty({ ...COUNT, description: 'Keys that work.' })
  working_keys: number;
}

@ApiSchema({ name: 'OperatorsStatus', description: 'How the service is, at a glance.' })
export class OperatorsStatus {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ description: 'The version of the process that answers.', example: '1.1.0' })
  version: string;

  @ApiProperty({ ...TIME, description: "By the database's clock." })
  as_of: string;

  @ApiProperty({ type: JobsAtAGlance })
  jobs: JobsAtAGlance;

  @ApiProperty({ type: WebhooksAtAGlance })
  webhooks: WebhooksAtAGlance;

  @ApiProperty({ type: AccountsAtAGlance })
  accounts: AccountsAtAGlance;

  @ApiProperty({ type: Status, description: 'The dataset, as /api/v1/status has it; up to a minute old.' })
  dataset: Status;
}
