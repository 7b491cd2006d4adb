import { isObject } from '../validation/unknown-values.js';
import { noAnswer, type Result, type Said } from './answer.js';
import { NAME } from './evidence.js';
import type { Json } from './json-shape.js';
import { judgeNotice, type Learned, type Meaning, shorten } from './rdap-wordings.js';

/** Members that an error of RDAP may have (RFC 9083, 6). A body with other members is not such an error. */
const MEMBERS = new Set(
  'rdapConformance errorCode title description notices remarks status lang links'.split(' '),
);
const NOTICE_MEMBERS = new Set(['title', 'description', 'type', 'links']);

/** Rules of one version, with the wordings that operators have added. */
export interface Rules {
  readonly meaningOf: (texts: readonly string[], learned: Learned) => Meaning;
  readonly learned: Learned;
}

/**
 * What an error that a registry gave for a name (400, 404, 422) says of it. Proxies, caches and wrong paths say "not
 * found" as well: it counts only where it is RDAP's own, by its code and by media type or conformance list, and where
 * nothing else is said. A name that is reserved or declined is an answer too.
 *
 * @param body of the evidence; null when it is no JSON object, such as an empty or cut-off one
 */
export function readRdapError(
  domain: string,
  status: number,
  hasRdapType: boolean,
  body: Json | null,
  { meaningOf, learned }: Rules,
): Result<Said> {
  const unclear = (what: string) =>
    noAnswer(status === 404 ? 'not_understood' : 'not_served', `HTTP ${status} ${what}`);
  if (!body) return unclear('without a JSON object');
  const { errorCode } = body;
  if (errorCode !== undefined && errorCode !== status && errorCode !== String(status))
    return readErrorCode(status, errorCode);
  const speech = speechOf(body, learned);
  if (!speech) return unclear('with what is no error of RDAP');
  const meaning = meaningOf(speech.texts, learned);
  if (meaning === 'limited') return noAnswer('rate_limited', `HTTP ${status} that speaks of limits`);
  if (meaning === 'refused') return noAnswer('refused', `HTTP ${status} that speaks of who may ask`);
  if (meaning === 'not_served')
    return noAnswer('not_served', `HTTP ${status} of a service that does not judge`);
  if (errorCode === undefined || !(hasRdapType || isConformant(body.rdapConformance)))
    return unclear('that is not marked as RDAP');
  // Only the reason for declining the name is passed on: other texts may be about people.
  const isReason = (text: string) => status !== 404 || meaningOf([text], learned) === meaning;
  const message = shorten(speech.texts.filter(isReason).map((text) => text.replaceAll(NAME, domain)));
  if (meaning === 'reserved') return { answered: true, state: 'reserved', message };
  if (meaning === 'declined' || status !== 404) return { answered: true, state: 'declined', message };
  if (meaning === 'more' || speech.hasUnknownNotice) return unclear('that says more than "not found"');
  return { answered: true, state: 'available' };
}

/** An error code that is not the status it came with. */
export function readErrorCode(status: number, errorCode: unknown): Result<Said> {
  const code = Number(errorCode);
  const detail = `HTTP ${status} with errorCode ${Number.isInteger(code) ? code : 'unknown'}`;
  if (code === 429) return noAnswer('rate_limited', detail);
  if (code === 401 || code === 403) return noAnswer('refused', detail);
  return noAnswer(code >= 500 ? 'failing' : 'not_understood', detail);
}

/** What an error says, without notices that are known to say nothing of the name. */
interface Speech {
  readonly texts: readonly string[];
  /** Whether there was a notice of the service about itself whose text has not been reviewed yet. */
  readonly hasUnknownNotice: boolean;
}

/** null when the shape is not RDAP's. */
function speechOf(body: Json, learned: Learned): Speech | null {
  if (!Object.keys(body).every((member) => MEMBERS.has(member))) return null;
  const notices = [body.notices ?? [], body.remarks ?? []].flat();
  if (!notices.every(isObject)) return null;
  if (!notices.every((notice) => Object.keys(notice).every((member) => NOTICE_MEMBERS.has(member))))
    return null;
  const judged = notices.map((notice) => ({ notice, kind: judgeNotice(notice, learned) }));
  const texts = [
    ...[body.title, body.description, body.status],
    ...judged.flatMap(({ notice: { title, description, type }, kind }) =>
      kind === 'speech' ? [title, description, type] : [],
    ),
  ].flatMap((text) => text ?? []);
  const hasUnknownNotice = judged.some(({ kind }) => kind === 'unknown');
  return texts.every(isString) ? { texts, hasUnknownNotice } : null;
}

function isConformant(conformance: unknown): boolean {
  return (
    Array.isArray(conformance) && conformance.some((level) => isString(level) && /^rdap_level_\d/.test(level))
  );
}

const isString = (value: unknown): value is string => typeof value === 'string';
