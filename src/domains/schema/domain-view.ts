import type { Config } from '../../config/config.js';
import type { Tier } from '../../config/tiers.js';
import { timeOfDatabase } from '../../db/database-time.js';
import type { Domain, Offer } from './domain.js';
import type { ArchiveDto, DomainDto, EvidenceDto, FullDomainDto } from './domain.dto.js';
import {
  ARCHIVE,
  EVIDENCE,
  type Field,
  type FieldName,
  fieldOf,
  type KnownName,
  PLAIN,
  RESTRICTED,
  type RestrictedField,
  type ShapeOf,
  type Viewing,
  wireNameOf,
  detailUrl,
  registerUrl,
  waybackUrl,
} from './fields.js';

type LinkSettings = Config['links'];
/** Fields that every tier sees ask for no more of a row than an offer has. */
type RowFor<Name extends FieldName, Time> = [Name] extends [RestrictedField] ? Offer : KnownName<Time>;

const restricted = viewOf(RESTRICTED);
const plain = viewOf(PLAIN);
const evidence = viewOf(EVIDENCE);
const archive = viewOf(ARCHIVE);

export function toDomainDto(row: Offer, links: LinkSettings): DomainDto {
  return restricted(row, { links, now: timeOfDatabase().getTime() });
}

export function toFullDomainDto(row: Domain, links: LinkSettings): FullDomainDto {
  return Object.assign(plain(row, { links, now: timeOfDatabase().getTime() }), {
    archive: toArchiveDto(row),
  });
}

export function toEvidenceDto(row: Domain): EvidenceDto {
  return evidence(row);
}

export function toArchiveDto(row: Domain): ArchiveDto {
  return archive(row);
}

export function toTierDto(row: Domain, tier: Tier, links: LinkSettings): DomainDto | FullDomainDto {
  return tier.fields === 'full' ? toFullDomainDto(row, links) : toDomainDto(row, links);
}

/** The three links of a name, whether the dataset knows it or not. */
export function linksOf(
  domain: string,
  available: boolean,
  links: LinkSettings,
): Pick<DomainDto, 'register_url' | 'detail_url' | 'wayback_url'> {
  return {
    register_url: available ? registerUrl(links.registerUrlTemplate, domain) : null,
    detail_url: detailUrl(links.baseUrl, domain),
    wayback_url: waybackUrl(domain),
  };
}

/** Makes an object of these fields from a row. Fields that need more than the row have it from `viewing`. */
export function viewOf<Name extends FieldName>(names: readonly Name[]) {
  const parts = names.map((name) => ({ key: wireNameOf(name), field: fieldOf(name) }));
  return <Time>(row: RowFor<Name, Time>, viewing: Viewing | null = null): ShapeOf<Name> => {
    const view: Record<string, unknown> = {};
    for (const { key, field } of parts) {
      const value = valueOf(field, row as KnownName<Time>, viewing);
      view[key] = value instanceof Date ? value.toISOString() : value;
    }
    return view as ShapeOf<Name>;
  };
}

function valueOf<Time>(field: Field, row: KnownName<Time>, viewing: Viewing | null): unknown {
  if ('of' in field) return field.of(row);
  if (!viewing) throw new Error(`a field cannot be made from the row alone: ${field.description}`);
  return field.inView(row as KnownName, viewing);
}
