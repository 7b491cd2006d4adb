import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Config } from '../config/config.js';
import { detailUrl, registerUrl, waybackUrl } from './domain-links.js';
import { SUFFIXES, type Domain } from './domain.js';

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
    minimum: 2,
    maximum: 63,
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

  @ApiProperty({ description: 'Availability, as far as the dataset knows.', example: true })
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

type LinkSettings = Config['links'];

/** A row of the dataset as the API shows it. */
export function toDomainDto(row: Domain, settings: LinkSettings): DomainDto {
  return {
    domain: row.domain,
    tld: row.tld,
    length: row.length,
    wayback: row.wayback,
    first_seen: row.firstSeen,
    available: row.available,
    ...linksOf(row.domain, row.available, settings),
  };
}

/** The three links of a name, whether the dataset knows it or not. */
export function linksOf(
  domain: string,
  available: boolean,
  settings: LinkSettings,
): Pick<DomainDto, 'register_url' | 'detail_url' | 'wayback_url'> {
  return {
    register_url: available ? registerUrl(settings.registerUrlTemplate, domain) : null,
    detail_url: detailUrl(settings.baseUrl, domain),
    wayback_url: waybackUrl(domain),
  };
}
