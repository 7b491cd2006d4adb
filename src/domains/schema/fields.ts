import type { Config } from '../../config/config.js';
import { LIST_KINDS } from '../../config/product.js';
import type { CalendarDate } from './calendar-date.js';
import { ARCHIVE_STATES, type Domain, LABEL_LENGTH, type Offer, SUFFIXES } from './domain.js';
import { DOMAIN_STATES, STATE_NAMES } from './states.js';

const FROM_NAME = 'it follows from the name, and a name with another label is another name';
const A_LINK = 'it follows from the name, its availability and the settings of the installation';
const DAY_MS = 86_400_000;

/**
 * The fields of a name: the one table that the answers, their schemas, the columns of rows and files, what a diff
 * compares and the documents derive from. Names with a dot lie in an object, and are flat in files:
 * `archive_status`.
 *
 * A field of the tier `all` is one of the nine of the specification; `full` is for tiers with full fields. Every
 * field is in the report, search, the feed, webhooks, data files and the agents' report of its tier; exports and
 * diffs have it unless `except` gives a reason. A new field has the next number in `since`, which raises the schema
 * version of exports.
 */
export const FIELDS = {
  domain: {
    column: 'domain',
    type: 'text',
    tier: 'all',
    of: (row) => row.domain,
    except: { diff: FROM_NAME },
    description: 'The domain name.',
    example: 'coffeecart.com.au',
  },
  tld: {
    column: 'tld',
    type: 'text',
    values: SUFFIXES,
    tier: 'all',
    of: (row) => row.tld,
    except: { diff: FROM_NAME },
    description: 'Its .au suffix.',
    example: 'com.au',
  },
  length: {
    column: 'length',
    type: 'integer',
    minimum: LABEL_LENGTH.min,
    maximum: LABEL_LENGTH.max,
    tier: 'all',
    of: (row) => row.length,
    except: { diff: FROM_NAME },
    description: 'Characters of the label; the suffix is not counted.',
    example: 10,
  },
  wayback: {
    column: 'wayback',
    type: 'integer',
    minimum: 0,
    tier: 'all',
    of: (row) => row.wayback,
    description: 'Archive activity score; higher means more established. 0 also for a name not yet scored.',
    example: 412,
  },
  first_seen: {
    column: 'first_seen',
    type: 'date',
    nullable: true,
    tier: 'all',
    of: (row) => row.firstSeen,
    description: 'First date this drop record was seen (YYYY-MM-DD), or null when it is not known.',
    example: '2026-11-18',
  },
  available: {
    column: 'available',
    type: 'boolean',
    tier: 'all',
    of: (row) => row.available,
    description:
      'Whether it can be registered: true only where a registry, or a source that the operator vouches ' +
      'for, said so, and not too long ago.',
    example: true,
  },
  register_url: {
    type: 'link',
    nullable: true,
    tier: 'all',
    inView: ({ domain, available }, { links }) =>
      available ? registerUrl(links.registerUrlTemplate, domain) : null,
    except: { export: A_LINK, diff: A_LINK },
    description:
      'Checkout at the accredited registrar; null unless the name is available. Nothing is bought by calling it.',
    example: 'https://ventraip.com.au/domain-names?domain=coffeecart.com.au',
  },
  detail_url: {
    type: 'link',
    tier: 'all',
    inView: ({ domain }, { links }) => detailUrl(links.baseUrl, domain),
    except: { export: A_LINK, diff: A_LINK },
    description: "Address of the domain's detail page.",
    example: 'http://localhost:3000/domains/coffeecart.com.au',
  },
  wayback_url: {
    type: 'link',
    tier: 'all',
    inView: ({ domain }) => waybackUrl(domain),
    except: { export: A_LINK, diff: A_LINK },
    description: 'Address of the archive history.',
    example: 'https://web.archive.org/web/*/coffeecart.com.au',
  },
  hyphens: {
    column: 'hyphens',
    type: 'integer',
    minimum: 0,
    maximum: LABEL_LENGTH.max - 2,
    tier: 'full',
    of: (row) => row.hyphens,
    except: { diff: FROM_NAME },
    description: 'Hyphens in the label.',
    example: 0,
  },
  numbers: {
    column: 'digits',
    type: 'integer',
    minimum: 0,
    maximum: LABEL_LENGTH.max,
    tier: 'full',
    of: (row) => row.digits,
    except: { diff: FROM_NAME },
    description: 'Digits in the label.',
    example: 0,
  },
  letters: {
    type: 'integer',
    minimum: 0,
    maximum: LABEL_LENGTH.max,
    tier: 'full',
    of: ({ length, hyphens, digits }) => length - hyphens - digits,
    except: { diff: FROM_NAME },
    since: 2,
    description: 'Letters a to z in the label.',
    example: 10,
  },
  age_days: {
    type: 'integer',
    nullable: true,
    minimum: 0,
    tier: 'full',
    inView: ({ firstSeen }, { now }) =>
      firstSeen === null ? null : Math.max(0, Math.floor((now - Date.parse(firstSeen)) / DAY_MS)),
    except: {
      export: 'it changes every day by itself; first_seen says the same',
      diff: 'it changes every day by itself; first_seen says the same',
    },
    description: 'Whole days since first_seen (UTC), or null when that is not known.',
    example: 3,
  },
  dropped_at: {
    column: 'dropped_at',
    type: 'time',
    nullable: true,
    tier: 'full',
    of: (row) => row.droppedAt,
    description: 'When the drop was confirmed (ISO 8601 UTC), or null before it was.',
    example: '2026-11-18T03:01:12.000Z',
  },
  state: {
    column: 'state',
    type: 'text',
    values: STATE_NAMES,
    tier: 'full',
    isEvidence: true,
    of: (row) => row.state,
    description: `What the name is in the dataset. ${Object.entries(DOMAIN_STATES)
      .map(([state, meaning]) => `\`${state}\`: ${meaning}`)
      .join(' ')}`,
    example: 'available',
  },
  confirmed: {
    type: 'boolean',
    tier: 'full',
    isEvidence: true,
    of: (row) => row.confirmedBy !== null,
    description:
      'Whether the state rests on the word of a registry or of a source that the operator vouches for, ' +
      'and not on a list alone.',
    example: true,
  },
  confirmed_by: {
    column: 'confirmed_by',
    type: 'text',
    nullable: true,
    tier: 'full',
    isEvidence: true,
    of: (row) => row.confirmedBy,
    description:
      'Whose word the state rests on: `rdap`, `availability_service`, `sandbox` (made up), or ' +
      '`vouched:` and the name of a source; null while it rests on none.',
    example: 'rdap',
  },
  checked_at: {
    column: 'checked_at',
    type: 'time',
    nullable: true,
    tier: 'full',
    isEvidence: true,
    of: (row) => (row.confirmedBy === null ? null : row.checkedAt),
    description: 'When that word was given (ISO 8601 UTC); null while there is none.',
    example: '2026-11-18T03:01:12.000Z',
  },
  list_kind: {
    column: 'list_kind',
    type: 'text',
    values: LIST_KINDS,
    nullable: true,
    tier: 'full',
    isEvidence: true,
    of: (row) => row.listKind,
    description:
      'The official drop list that the name was on last: `deleted` (purged at 13:00 AEST) or `expired` ' +
      '(13:30 AEST); null when it was on none, or nobody knows which.',
    example: 'expired',
  },
  listed_at: {
    column: 'listed_at',
    type: 'time',
    nullable: true,
    tier: 'full',
    isEvidence: true,
    of: (row) => row.listedAt,
    description: 'When this dataset learned of that listing (ISO 8601 UTC), or null.',
    example: '2026-11-17T04:00:31.000Z',
  },
  purge_at: {
    column: 'purge_at',
    type: 'time',
    nullable: true,
    tier: 'full',
    isEvidence: true,
    of: (row) => row.purgeAt,
    description: 'When the name is or was to be purged by that list (ISO 8601 UTC), or null.',
    example: '2026-11-18T03:00:00.000Z',
  },
  'archive.status': {
    column: 'archive_status',
    type: 'text',
    values: ARCHIVE_STATES,
    tier: 'full',
    of: (row) => row.archive.status,
    description:
      '`pending`: not looked up, or not since the name was listed last (the score is then the one of ' +
      'before); `none`: looked up, no capture of the home page that counts; `ok`: there are some; ' +
      '`error`: the last lookup failed and is tried again, which says nothing of the score.',
    example: 'ok',
  },
  'archive.first_capture': {
    column: 'archive_first_capture',
    type: 'date',
    nullable: true,
    tier: 'full',
    of: (row) => row.archive.firstCapture,
    description: 'Day of the first capture (YYYY-MM-DD), or null when it is not known.',
    example: '2009-03-14',
  },
  'archive.last_capture': {
    column: 'archive_last_capture',
    type: 'date',
    nullable: true,
    tier: 'full',
    of: (row) => row.archive.lastCapture,
    description: 'Day of the last capture (YYYY-MM-DD), or null when it is not known.',
    example: '2025-11-02',
  },
  'archive.captures': {
    column: 'archive_captures',
    type: 'integer',
    nullable: true,
    minimum: 0,
    tier: 'full',
    of: (row) => row.archive.captures,
    description:
      'Captures in the archive’s answer, or null when it is not known; it is asked for one a day, and for no errors.',
    example: 137,
  },
} as const satisfies Readonly<Record<string, Field>>;

/** The public part of a row of the table `domain`. */
export type KnownName<Time = Date> = Omit<Domain<Time>, 'name' | 'hidden' | 'registryState' | 'listSource'>;

/** What a field is made from beside the row. */
export interface Viewing {
  readonly links: Config['links'];
  /** In milliseconds. */
  readonly now: number;
}

/** What fields of each type hold. Times are a Date in rows, and ISO 8601 in what goes out. */
interface Values<Time> {
  text: string;
  integer: number;
  boolean: boolean;
  /** YYYY-MM-DD */
  date: CalendarDate;
  time: Time;
  /** Of this installation, or to another. */
  link: string;
}
export type FieldType = keyof Values<unknown>;

/** The fields that every tier sees are made from an offer, which has fewer columns. */
interface Rows<Time> {
  all: Omit<Offer, 'checkedAt' | 'confirmedBy'>;
  full: KnownName<Time>;
}
type Tier = keyof Rows<unknown>;

interface Common<Type, Of extends Tier, Nullable> {
  readonly type: Type;
  readonly tier: Of;
  readonly nullable?: Nullable;
  /** Of the table `domain`, where it is stored and not made from others. */
  readonly column?: string;
  /** All there are, of a text. */
  readonly values?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Also in the part `dataset` of a check. */
  readonly isEvidence?: true;
  /** Where it is left out, and why. */
  readonly except?: { readonly export?: string; readonly diff?: string };
  /** The schema version of exports that brought it; absent: the first. */
  readonly since?: number;
  readonly description: string;
  readonly example: string | number | boolean;
}
/** A field made from a row alone is in exports; one that needs more is not, and says why. */
type Entry<Type extends FieldType, Of extends Tier, Nullable, Null> =
  | (Common<Type, Of, Nullable> & { readonly of: <Time>(row: Rows<Time>[Of]) => Values<Time>[Type] | Null })
  | (Common<Type, Of, Nullable> & {
      readonly inView: (row: Rows<Date>[Of], viewing: Viewing) => Values<string>[Type] | Null;
      readonly except: { readonly export: string; readonly diff: string };
    });
export type Field = {
  [Type in FieldType]: {
    [Of in Tier]: Entry<Type, Of, undefined, never> | Entry<Type, Of, true, null>;
  }[Tier];
}[FieldType];

type Fields = typeof FIELDS;
export type FieldName = keyof Fields;
export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

/** A field by its name, with all that any may have. */
export function fieldOf(name: FieldName): Field {
  return FIELDS[name];
}

/** Names of the fields whose entry has this shape. */
type Where<Entry> = { [Name in FieldName]: Fields[Name] extends Entry ? Name : never }[FieldName];
export type RestrictedField = Where<{ tier: 'all' }>;
export type EvidenceField = Where<{ isEvidence: true }>;
export type ArchiveField = Extract<FieldName, `archive.${string}`>;
export type PlainField = Exclude<FieldName, ArchiveField>;
export type ExportedField = Exclude<FieldName, Where<{ except: { export: string } }>>;
export type StoredField = Where<{ column: string }>;

export function isArchiveField(name: FieldName): name is ArchiveField {
  return name.startsWith('archive.');
}

export const RESTRICTED = FIELD_NAMES.filter((name): name is RestrictedField => fieldOf(name).tier === 'all');
export const EVIDENCE = FIELD_NAMES.filter(
  (name): name is EvidenceField => fieldOf(name).isEvidence === true,
);
export const ARCHIVE = FIELD_NAMES.filter(isArchiveField);
export const PLAIN = FIELD_NAMES.filter((name): name is PlainField => !isArchiveField(name));
export const STORED = FIELD_NAMES.filter((name): name is StoredField => fieldOf(name).column !== undefined);
export const EXPORTED = FIELD_NAMES.filter(
  (name): name is ExportedField => fieldOf(name).except?.export === undefined,
);

/** What a field is called inside of its object. */
export type WireName<Name extends string> = Name extends `${string}.${infer Inner}` ? Inner : Name;
export function wireNameOf<Name extends FieldName>(name: Name): WireName<Name> {
  return name.slice(name.indexOf('.') + 1) as WireName<Name>;
}

type ValueOf<Of extends FieldName, Time> =
  | (Fields[Of] extends { readonly values: readonly (infer Value)[] }
      ? Value
      : Values<Time>[Fields[Of]['type']])
  | (Fields[Of] extends { readonly nullable: true } ? null : never);

export type ShapeOf<Name extends FieldName> = { [Of in Name as WireName<Of>]: ValueOf<Of, string> };
/** The columns of the table `domain` that have fields. */
export type StoredRow<Time> = { [Of in StoredField as Fields[Of]['column']]: ValueOf<Of, Time> };

/** Since 3, times in Parquet are UTC by logical type, and manifests are in snake_case. */
const FORM_VERSION = 3;
/** Raised by a field that is added. A renamed or removed field raises {@link FORM_VERSION}, as another form does. */
export const SCHEMA_VERSION = Math.max(FORM_VERSION, ...FIELD_NAMES.map((name) => fieldOf(name).since ?? 1));

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
