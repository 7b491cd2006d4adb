import type { Config } from '../../config/config.js';
import type { Tier } from '../../config/tiers.js';
import type { Domain, Offer } from './domain.js';
import type { ArchiveDto, DomainDto, FullDomainDto, EvidenceDto } from './domain.dto.js';

type LinkSettings = Config['links'];

/** A row of the dataset as the API shows it. */
export function toDomainDto(row: Offer, settings: LinkSettings): DomainDto {
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

const DAY_MS = 86_400_000;

/** The same with every field. */
export function toFullDomainDto(row: Domain, settings: LinkSettings): FullDomainDto {
  return {
    ...toDomainDto(row, settings),
    hyphens: row.hyphens,
    numbers: row.digits,
    age_days:
      row.firstSeen === null
        ? null
        : Math.max(0, Math.floor((Date.now() - Date.parse(row.firstSeen)) / DAY_MS)),
    dropped_at: timeOf(row.droppedAt),
    ...toEvidenceDto(row),
    archive: toArchiveDto(row),
  };
}

/** What the dataset has the name for, and how it knows. */
export function toEvidenceDto(row: Domain): EvidenceDto {
  return {
    state: row.state,
    confirmed: row.confirmedBy !== null,
    confirmed_by: row.confirmedBy,
    checked_at: row.confirmedBy === null ? null : timeOf(row.checkedAt),
    list_kind: row.listKind,
    listed_at: timeOf(row.listedAt),
    purge_at: timeOf(row.purgeAt),
  };
}

const timeOf = (time: Date | null) => time?.toISOString() ?? null;

export function toArchiveDto({ archive }: Domain): ArchiveDto {
  const { status, firstCapture, lastCapture, captures } = archive;
  return { status, first_capture: firstCapture, last_capture: lastCapture, captures };
}

/** A row as the caller's tier shows it. */
export function toTierDto(row: Domain, tier: Tier, settings: LinkSettings): DomainDto | FullDomainDto {
  return tier.fields === 'full' ? toFullDomainDto(row, settings) : toDomainDto(row, settings);
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

/**
 * The checkout of the registrar for a name.
 *
 * @param template a URL with `{domain}` where the percent-encoded name belongs
 */
export function registerUrl(template: string, domain: string): string {
  // A function as replacement, because "$&" and the like in a text would be taken for a pattern.
  return template.replaceAll('{domain}', () => encodeURIComponent(domain));
}

/** Our own page about a name. @param baseUrl without a slash at the end */
export function detailUrl(baseUrl: string, domain: string): string {
  return `${baseUrl}/domains/${encodeURIComponent(domain)}`;
}

/** The calendar of the Internet Archive's captures of a name. */
export function waybackUrl(domain: string): string {
  return `https://web.archive.org/web/*/${encodeURIComponent(domain)}`;
}
