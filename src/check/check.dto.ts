import { ApiProperty, ApiSchema, IntersectionType, PickType } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { DomainDto } from '../domains/domain.dto.js';
import { Metered } from '../rate-limit/rate.dto.js';
import {
  REGISTRY_SOURCES,
  REGISTRY_STATES,
  type RegistrySource,
  type RegistryState,
} from '../registry/registry-lookup.js';

export class CheckQuery {
  @ApiProperty({
    description:
      'Fully qualified registrable .au domain name. White space around it, capitals and one trailing dot do no harm.',
    type: String,
    maxLength: 255,
    example: 'coffeecart.com.au',
  })
  // Length and shape are judged with the name, so that the message can say what is wrong with it.
  @IsOptional()
  @IsString({ message: 'domain must be given once, as text' })
  domain?: string;
}

@ApiSchema({ name: 'RegistryAnswer', description: 'What the registry said, and when.' })
export class RegistryAnswerDto {
  @ApiProperty({
    description:
      'State of the name: `expired_hold`, `pending_purge` and `pending_delete` are on the way to a drop and still registered; `reserved` names cannot be registered by anybody.',
    enum: REGISTRY_STATES,
    example: 'available',
  })
  state: RegistryState;

  @ApiProperty({
    description: 'Who said so. `sandbox` is the made-up registry of the demo: never true of the real world.',
    enum: REGISTRY_SOURCES,
    example: 'rdap',
  })
  source: RegistrySource;

  @ApiProperty({
    description: 'When it was said (ISO 8601 UTC).',
    format: 'date-time',
    example: '2026-11-20T03:41:07.123Z',
  })
  checked_at: string;

  @ApiProperty({ description: 'Whether this is an earlier answer that is still fresh.', example: false })
  cached: boolean;
}

class Availability extends Metered {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ description: 'Whether the name is in the dataset.', example: true })
  known: boolean;

  @ApiProperty({
    description:
      'Whether the operator withholds the name from discovery. Changes neither registered nor available.',
    example: false,
  })
  hidden: boolean;

  @ApiProperty({ description: 'Whether the registry holds a registration now.', example: false })
  registered: boolean;

  @ApiProperty({
    description: 'Whether the name can be registered now. False as well for a reserved name.',
    example: true,
  })
  available: boolean;

  @ApiProperty({
    type: RegistryAnswerDto,
    description: 'The registry answer behind registered and available.',
  })
  registry: RegistryAnswerDto;
}

/** Answer of GET /v1/domains/check: live availability, enriched from the dataset. */
@ApiSchema({
  name: 'CheckResult',
  description: 'Live availability of one name, with what the dataset knows of it.',
})
export class CheckResult extends IntersectionType(
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
  Availability,
) {}
