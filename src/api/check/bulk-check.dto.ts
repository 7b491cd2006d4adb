import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional, IsString, Matches } from 'class-validator';
import { ErrorDetail } from '../../errors/error.dto.js';
import { Metered } from '../../access/rate.dto.js';
import { IsIntegerFrom } from '../../validation/numbers.js';
import { Checked } from './check.dto.js';
import { BULK_TOKEN } from './wanted-names.js';

export const MAX_NAMES = 200;
const MAX_WAIT_SECONDS = 30;
export const DEFAULT_WAIT_SECONDS = 10;
/** After this time, records of unanswered names are released. */
export const BULK_SECONDS = 600;

const NAMES_RULE = `domains must be a list of 1 to ${MAX_NAMES} names, each as text`;

/**
 * The default stands in the description only: generated clients treat a body field with a default as always
 * present.
 */
function Wait(): PropertyDecorator {
  const described = ApiPropertyOptional({
    description:
      'Longest time to wait for answers of the registry, in seconds; what is known is answered at ' +
      `once. Left out: ${DEFAULT_WAIT_SECONDS}.`,
    type: 'integer',
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    example: 20,
  });
  return (target, property) => {
    described(target, property);
    IsOptional()(target, property);
    IsIntegerFrom(0, MAX_WAIT_SECONDS)(target, property);
  };
}

/** For bodies that have no place for it. */
export class BulkCheckQuery {
  @Wait()
  wait?: number;
}

@ApiSchema({ name: 'BulkCheckRequest', description: 'The names to check.' })
export class BulkCheckRequest {
  @ApiProperty({
    description:
      'Fully qualified registrable .au domain names, in any spelling that a check takes. A name ' +
      'that is there twice is answered once and charged once.',
    type: [String],
    minItems: 1,
    maxItems: MAX_NAMES,
    example: ['coffeecart.com.au', 'coffeecart.net.au'],
  })
  @IsString({ each: true, message: NAMES_RULE })
  @ArrayMaxSize(MAX_NAMES, { message: NAMES_RULE })
  @ArrayMinSize(1, { message: NAMES_RULE })
  @IsArray({ message: NAMES_RULE })
  domains: string[];

  @Wait()
  wait?: number;
}

export class BulkCheckAddress {
  @ApiProperty({
    description: 'The token of an answer in which names were pending.',
    type: String,
    pattern: BULK_TOKEN.source,
    example: 'q83vEjRWeJASNFZ4kBI0VniQEjRWeJASNFZ4kBI0Vng',
  })
  @Matches(BULK_TOKEN, { message: 'token must be the token of a bulk check' })
  token: string;
}

export const BULK_STATUSES = ['answered', 'failed', 'pending'] as const;

@ApiSchema({ name: 'BulkCheckError', description: 'Why one name of a bulk check has no answer.' })
export class BulkCheckError implements Omit<ErrorDetail, 'request_id'> {
  @ApiProperty({ description: 'As in the body of a failure.', example: 'domain_suffix_unsupported' })
  code: string;

  @ApiProperty({ description: 'What was wrong and what to change.' })
  message: string;
}

@ApiSchema({ name: 'BulkCheckItem', description: 'One name of a bulk check.' })
export class BulkCheckItem {
  @ApiProperty({
    description: 'The name; where it is none, the text that was sent, shortened.',
    example: 'coffeecart.com.au',
  })
  domain: string;

  @ApiProperty({
    description:
      '`answered`: see result. `failed`: see error; it costs nothing. `pending`: not asked yet, ' +
      'ask for the rest with the token.',
    enum: BULK_STATUSES,
    example: 'answered',
  })
  status: (typeof BULK_STATUSES)[number];

  @ApiPropertyOptional({ type: Checked, description: 'What a check says of it. Absent unless answered.' })
  result?: Checked;

  @ApiPropertyOptional({ type: BulkCheckError, description: 'Absent unless failed.' })
  error?: BulkCheckError;
}

const COUNT = { type: 'integer', minimum: 0, maximum: MAX_NAMES } as const;

@ApiSchema({
  name: 'BulkCheckResult',
  description: 'Live availability of many names, as far as it is known.',
})
export class BulkCheckResult extends Metered {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ ...COUNT, description: 'Different names asked for.', example: 2 })
  count: number;

  @ApiProperty({ ...COUNT, description: 'Those that are answered; each costs one record.', example: 1 })
  answered: number;

  @ApiProperty({ ...COUNT, description: 'Those that have no answer and will have none.', example: 0 })
  failed: number;

  @ApiProperty({
    ...COUNT,
    description: 'Those that the registry has still to be asked about. Their records are held.',
    example: 1,
  })
  pending: number;

  @ApiProperty({
    description:
      'For GET /api/v1/domains/checks/{token}, which has the rest and is no second charge; null ' +
      'when nothing is pending.',
    type: String,
    nullable: true,
    example: 'q83vEjRWeJASNFZ4kBI0VniQEjRWeJASNFZ4kBI0Vng',
  })
  token: string | null;

  @ApiProperty({
    description:
      'Seconds after which most of the rest is likely to be there, as in Retry-After; null when nothing is pending.',
    type: 'integer',
    minimum: 1,
    nullable: true,
    example: 12,
  })
  retry_after: number | null;

  @ApiProperty({
    type: [BulkCheckItem],
    description: 'The names in the order in which they were asked for, each once.',
    maxItems: MAX_NAMES,
  })
  results: BulkCheckItem[];

  @ApiProperty({
    description: 'Free text: what was left out by the budget, and how to get the rest.',
    example: 'Every name is answered.',
  })
  note: string;
}
