import { ApiProperty, ApiSchema, IntersectionType, PickType, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, ArrayMaxSize, ArrayMinSize, IsArray, Matches } from 'class-validator';
import { DomainDto, EvidenceDto } from '../../domains/schema/domain.dto.js';
import { EligibilityDto } from '../../domains/name/eligibility.js';
import { RegistrabilityDto } from '../../domains/name/registrability.js';
import { Metered } from '../../access/rate.dto.js';
import { RegistryAnswerDto } from '../../registry/registry-answer.dto.js';
import {
  OK,
  one,
  optional,
  orNull,
  shape,
  yes,
  count,
  many,
  oneOf,
  positive,
  text,
  IsIntegerFrom,
} from '../../validation/shape.js';
import { ErrorDetail } from '../../errors/api-failures.decorator.js';
import { BULK_TOKEN } from './name-list.js';

export class CheckQuery {
  @ApiProperty({
    description:
      'Fully qualified registrable .au domain name. White space around it, capitals and one trailing dot do no harm.',
    type: String,
    maxLength: 255,
    example: 'coffeecart.com.au',
  })
  // The name parser judges length and shape, so that its message can name the fault.
  @IsOptional()
  @IsString({ message: 'domain must be given once, as text' })
  domain?: string;
}

class Availability extends shape({
  ...OK,
  known: yes('Whether the name is in the dataset.', true),
  hidden: yes(
    'Whether the operator withholds the name from discovery. Changes neither registered nor available. ' +
      'Told to accounts: without a key such a name is not known.',
    false,
  ),
  registered: yes('Whether the registry holds a registration now.', false),
  available: yes('Whether the name can be registered now. False as well for a reserved name.', true),
  registry: one(RegistryAnswerDto, 'The registry answer behind registered and available.'),
  dataset: optional(
    orNull(
      one(
        EvidenceDto,
        'What the dataset has the name for, and how it knows; null for a name that it does not have. ' +
          'For tiers with full fields.',
      ),
    ),
  ),
  eligibility: one(EligibilityDto, 'Who may hold a name of this suffix.'),
}) {}

/** The result of a check, without its cost. */
@ApiSchema({
  name: 'Checked',
  description: 'Live availability of one name, with what the dataset knows of it.',
})
export class Checked extends IntersectionType(
  PickType(DomainDto, [
    'domain',
    'tld',
    'length',
    'wayback',
    'first_seen',
    'register_url',
    'detail_url',
    'wayback_url',
  ] as const),
  IntersectionType(Availability, RegistrabilityDto),
) {}

/** Answer of GET /v1/domains/check: live availability, enriched from the dataset. */
@ApiSchema({
  name: 'CheckResult',
  description: 'Live availability of one name, with what the dataset knows of it.',
})
export class CheckResult extends IntersectionType(Checked, Metered) {}

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

const BULK_STATUSES = ['answered', 'failed', 'pending'] as const;

@ApiSchema({ name: 'BulkCheckError', description: 'Why one name of a bulk check has no answer.' })
class BulkCheckError
  extends shape({
    code: text('As in the body of a failure.', 'domain_suffix_unsupported'),
    message: text('What was wrong and what to change.'),
  })
  implements Omit<ErrorDetail, 'request_id'> {}

@ApiSchema({ name: 'BulkCheckItem', description: 'One name of a bulk check.' })
export class BulkCheckItem extends shape({
  domain: text('The name; where it is none, the text that was sent, shortened.', 'coffeecart.com.au'),
  status: oneOf(
    BULK_STATUSES,
    '`answered`: see result. `failed`: see error; it costs nothing. `pending`: not asked yet, ' +
      'ask for the rest with the token.',
    'answered',
  ),
  result: optional(one(Checked, 'What a check says of it. Absent unless answered.')),
  error: optional(one(BulkCheckError, 'Absent unless failed.')),
}) {}

@ApiSchema({
  name: 'BulkCheckResult',
  description: 'Live availability of many names, as far as it is known.',
})
export class BulkCheckResult extends shape({
  ...Metered.fields,
  ...OK,
  count: count('Different names asked for.', 2, { maximum: MAX_NAMES }),
  answered: count('Those that are answered; each costs one record.', 1, { maximum: MAX_NAMES }),
  failed: count('Those that have no answer and will have none.', 0, { maximum: MAX_NAMES }),
  pending: count('Those that the registry has still to be asked about. Their records are held.', 1, {
    maximum: MAX_NAMES,
  }),
  token: orNull(
    text(
      'For GET /api/v1/domains/checks/{token}, which has the rest and is no second charge; null ' +
        'when nothing is pending.',
      'q83vEjRWeJASNFZ4kBI0VniQEjRWeJASNFZ4kBI0Vng',
    ),
  ),
  retry_after: orNull(
    positive(
      'Seconds after which most of the rest is likely to be there, as in Retry-After; null when nothing is pending.',
      12,
    ),
  ),
  results: many(BulkCheckItem, 'The names in the order in which they were asked for, each once.', {
    maxItems: MAX_NAMES,
  }),
  note: text(
    'Free text: what was left out by the budget, and how to get the rest.',
    'Every name is answered.',
  ),
}) {}
