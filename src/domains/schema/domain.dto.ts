import { ApiProperty, ApiSchema, getSchemaPath, IntersectionType } from '@nestjs/swagger';
import { LIST_KINDS, type ListKind } from '../../config/product.js';
import { ARCHIVE_STATES, type ArchiveState, LABEL_LENGTH, SUFFIXES } from './domain.js';
import { DOMAIN_STATES, type DomainState } from './states.js';

@ApiSchema({ name: 'Evidence', description: 'What the dataset has a name for, and how it knows.' })
export class EvidenceDto {
  @ApiProperty({
    description: `What the name is in the dataset. ${Object.entries(DOMAIN_STATES)
      .map(([state, meaning]) => `\`${state}\`: ${meaning}`)
      .join(' ')}`,
    enum: Object.keys(DOMAIN_STATES),
    example: 'available',
  })
  state: DomainState;

  @ApiProperty({
    description:
      'Whether the state rests on the word of a registry or of a source that the operator vouches for, and not on a list alone.',
    example: true,
  })
  confirmed: boolean;

  @ApiProperty({
    description:
      'Whose word the state rests on: `rdap`, `availability_service`, `sandbox` (made up), or `vouched:` and the name of a source; null while it rests on none.',
    type: String,
    nullable: true,
    example: 'rdap',
  })
  confirmed_by: string | null;

  @ApiProperty({
    description: 'When that word was given (ISO 8601 UTC); null while there is none.',
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-18T03:01:12.000Z',
  })
  checked_at: string | null;

  @ApiProperty({
    description:
      'The official drop list that the name was on last: `deleted` (purged at 13:00 AEST) or `expired` (13:30 AEST); null when it was on none, or nobody knows which.',
    enum: LIST_KINDS,
    nullable: true,
    example: 'expired',
  })
  list_kind: ListKind | null;

  @ApiProperty({
    description: 'When this dataset learned of that listing (ISO 8601 UTC), or null.',
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-17T04:00:31.000Z',
  })
  listed_at: string | null;

  @ApiProperty({
    description: 'When the name is or was to be purged by that list (ISO 8601 UTC), or null.',
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-18T03:00:00.000Z',
  })
  purge_at: string | null;
}

/** The nine fields of the specification's Domain: what every tier sees. */
@ApiSchema({ name: 'Domain', description: 'A dropped .au domain name of the dataset.' })
export class DomainDto {
  @ApiProperty({ description: 'The domain name.', example: 'coffeecart.com.au' })
  domain: string;

  @ApiProperty({ description: 'Its .au suffix.', enum: SUFFIXES, example: 'com.au' })
  tld: string;

  @ApiProperty({
    description: 'Characters of the label; the suffix is not counted.',
    type: 'integer',
    minimum: LABEL_LENGTH.min,
    maximum: LABEL_LENGTH.max,
    example: 10,
  })
  length: number;

  @ApiProperty({
    description: 'Archive activity score; higher means more established. 0 also for a name not yet scored.',
    type: 'integer',
    minimum: 0,
    example: 412,
  })
  wayback: number;

  @ApiProperty({
    description: 'First date this drop record was seen (YYYY-MM-DD), or null when it is not known.',
    type: String,
    format: 'date',
    nullable: true,
    example: '2026-11-18',
  })
  first_seen: string | null;

  @ApiProperty({
    description:
      'Whether it can be registered: true only where a registry, or a source that the operator vouches for, said so, and not too long ago.',
    example: true,
  })
  available: boolean;

  @ApiProperty({
    description:
      'Checkout at the accredited registrar; null unless the name is available. Nothing is bought by calling it.',
    type: String,
    format: 'uri',
    nullable: true,
    example: 'https://ventraip.com.au/domain-names?domain=coffeecart.com.au',
  })
  register_url: string | null;

  @ApiProperty({
    description: "Address of the domain's detail page.",
    format: 'uri',
    example: 'http://localhost:3000/domains/coffeecart.com.au',
  })
  detail_url: string;

  @ApiProperty({
    description: 'Address of the archive history.',
    format: 'uri',
    example: 'https://web.archive.org/web/*/coffeecart.com.au',
  })
  wayback_url: string;
}

@ApiSchema({ name: 'Archive', description: 'What the web archive has of a name.' })
export class ArchiveDto {
  @ApiProperty({
    description:
      '`pending`: not looked up, or not since the name was listed last (the score is then the one of before); `none`: looked up, no capture of the home page that counts; `ok`: there are some; `error`: the last lookup failed and is tried again, which says nothing of the score.',
    enum: ARCHIVE_STATES,
    example: 'ok',
  })
  status: ArchiveState;

  @ApiProperty({
    description: 'Day of the first capture (YYYY-MM-DD), or null when it is not known.',
    type: String,
    format: 'date',
    nullable: true,
    example: '2009-03-14',
  })
  first_capture: string | null;

  @ApiProperty({
    description: 'Day of the last capture (YYYY-MM-DD), or null when it is not known.',
    type: String,
    format: 'date',
    nullable: true,
    example: '2025-11-02',
  })
  last_capture: string | null;

  @ApiProperty({
    description:
      'Captures in the archive’s answer, or null when it is not known; it is asked for one a day, and for no errors.',
    type: 'integer',
    minimum: 0,
    nullable: true,
    example: 137,
  })
  captures: number | null;
}

/** The Domain with what the tiers with full fields see beside it. */
@ApiSchema({
  name: 'FullDomain',
  description: 'A dropped .au domain name with every field: the shape of the tiers whose fields are full.',
})
export class FullDomainDto extends IntersectionType(DomainDto, EvidenceDto) {
  @ApiProperty({ description: 'Hyphens in the label.', type: 'integer', minimum: 0, maximum: 61, example: 0 })
  hyphens: number;

  @ApiProperty({
    description: 'Digits in the label.',
    type: 'integer',
    minimum: 0,
    maximum: LABEL_LENGTH.max,
    example: 0,
  })
  numbers: number;

  @ApiProperty({
    description: 'Whole days since first_seen (UTC), or null when that is not known.',
    type: 'integer',
    minimum: 0,
    nullable: true,
    example: 3,
  })
  age_days: number | null;

  @ApiProperty({
    description: 'When the drop was confirmed (ISO 8601 UTC), or null before it was.',
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-18T03:01:12.000Z',
  })
  dropped_at: string | null;

  @ApiProperty({ type: ArchiveDto, description: 'What the web archive has of the name.' })
  archive: ArchiveDto;
}

/** Describes rows whose shape depends on the tier. */
export const TIER_SHAPES = {
  anyOf: [{ $ref: getSchemaPath(FullDomainDto) }, { $ref: getSchemaPath(DomainDto) }],
};
