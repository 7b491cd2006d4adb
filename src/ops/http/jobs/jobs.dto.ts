import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Matches } from 'class-validator';

const TIME = {
  type: String,
  format: 'date-time',
  nullable: true,
  example: '2026-11-22T05:00:00.000Z',
} as const;

export class JobAddress {
  @ApiProperty({ description: 'The name of a job, as the list has it.', example: 'list-fetch' })
  @Matches(/^[a-z][a-z-]{0,59}$/, { message: 'name must be the name of a job' })
  name: string;
}

@ApiSchema({ name: 'JobPause', description: 'Who paused a job, when and why.' })
export class JobPauseDto {
  @ApiProperty({ description: 'Since when (ISO 8601 UTC).', format: 'date-time', example: TIME.example })
  since: string;

  @ApiProperty({ description: 'Who.', example: 'operator:alice' })
  by: string;

  @ApiProperty({ description: 'Why.', example: 'the registry asks us to be quiet tonight' })
  reason: string;
}

@ApiSchema({ name: 'Job', description: 'How a job of the dataset stands.' })
export class JobDto {
  @ApiProperty({ description: 'Its name.', example: 'list-fetch' })
  name: string;

  @ApiProperty({
    description: 'Whether a batch of it is due now; one that is paused is not.',
    example: false,
  })
  is_due: boolean;

  @ApiProperty({ ...TIME, nullable: false, description: 'When the next batch is due (ISO 8601 UTC).' })
  next_due: string;

  @ApiProperty({ ...TIME, description: 'When the last batch was begun.' })
  last_run_at: string | null;

  @ApiProperty({ ...TIME, description: 'When the last batch went well that did.' })
  last_success_at: string | null;

  @ApiProperty({ description: 'Failures since then.', type: 'integer', minimum: 0, example: 0 })
  failures: number;

  @ApiProperty({ description: 'What the last failure was.', type: String, nullable: true, example: null })
  last_error: string | null;

  @ApiProperty({ ...TIME, description: 'When that was.' })
  last_error_at: string | null;

  @ApiProperty({ ...TIME, description: 'When an operator last wanted a batch of it.' })
  wanted_at: string | null;

  @ApiProperty({ type: JobPauseDto, nullable: true, description: 'The pause it is in; null: it is in none.' })
  paused: JobPauseDto | null;

  @ApiProperty({
    description: 'Where its next batch goes on.',
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: null,
  })
  cursor: Readonly<Record<string, unknown>> | null;
}

@ApiSchema({ name: 'JobHolder', description: 'The process that does the jobs.' })
export class JobHolderDto {
  @ApiProperty({ description: 'The id of the process.', format: 'uuid' })
  id: string;

  @ApiProperty({ ...TIME, nullable: false, description: 'Until when nobody else takes them over.' })
  until: string;
}

@ApiSchema({ name: 'Jobs', description: 'Every job that has ever run.' })
export class Jobs {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: JobHolderDto, nullable: true, description: 'Null: no process does the jobs.' })
  holder: JobHolderDto | null;

  @ApiProperty({ type: [JobDto], description: 'By name.' })
  jobs: JobDto[];
}
