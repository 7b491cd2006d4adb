import { SANDBOX_WORDS, sandboxWords } from '../domains/first-offers.js';
import type { BulkCheckItem, BulkCheckResult, CheckResult } from '../api/check/check.dto.js';
import type { ExplainedSuggestResult } from '../api/suggest/suggest.dto.js';
import { parseDomainName } from '../domains/name/domain-name.js';
import { ruleAgainst } from '../domains/name/registrability.js';
import { type NameRule } from '../domains/name/rules/name-rule.js';
import type { DomainDto, FullDomainDto } from '../domains/schema/domain.dto.js';
import { NOTHING_KNOWN } from '../domains/search/discovery-query.js';
import { type RegistryState } from '../registry/answer.js';
import type {
  CheckedList,
  CheckedRow,
  CompactList,
  CompactRow,
  RegisterResult,
  SuggestedList,
} from './tool-shapes.dto.js';

const DAYS = [
  'date',
  'first_seen_from',
  'first_seen_to',
  'confirmed_since',
  'since',
  'missing_before',
] as const;
type Listed = Pick<
  CompactList,
  | 'total'
  | 'total_is'
  | 'has_more'
  | 'next_cursor'
  | 'timed_out'
  | 'note'
  | 'rate'
  | 'quota'
  | (typeof DAYS)[number]
>;
type News = readonly [what: keyof Omit<CompactRow, keyof DomainDto>, at: string];

const MINUTES = 'YYYY-MM-DDTHH:MM'.length;

/** The short form of a list. @param news the event of each row with its time */
export function compactList(
  rows: readonly (DomainDto | FullDomainDto)[],
  answer: Listed,
  news?: readonly News[],
): CompactList {
  const { total, total_is, has_more, next_cursor, timed_out, note, rate, quota } = answer;
  const isMadeUp = note?.includes(SANDBOX_WORDS) || sandboxWords(...rows.map(sourceOf)) !== '';
  return {
    ok: true,
    results: rows.map((row, at) => compactRow(row, news?.[at])),
    count: rows.length,
    register_url: rows[0]?.register_url ?? null,
    ...Object.fromEntries(DAYS.flatMap((name) => (answer[name] === undefined ? [] : [[name, answer[name]]]))),
    ...(total !== undefined && { total, total_is }),
    ...(has_more !== undefined && { has_more }),
    ...(next_cursor !== undefined && { next_cursor }),
    ...(timed_out && { timed_out }),
    ...(timed_out && rows.length === 0 && { note: NOTHING_KNOWN }),
    ...(isMadeUp && { note: SANDBOX_WORDS }),
    rate,
    ...(quota && { quota }),
  };
}

/** The same with the reason of each name, and with names that are close. */
export function suggestedList(answer: ExplainedSuggestResult): SuggestedList {
  const { results, ideas = [] } = answer;
  const withReason = (row: DomainDto & { readonly why: { readonly text: string } }) => ({
    ...compactRow(row, undefined),
    why: row.why.text,
  });
  return {
    ...compactList(results, answer),
    results: results.map(withReason),
    count: results.length + ideas.length,
    ...(answer.ideas && { ideas: ideas.map(withReason) }),
  };
}

/** Null for a row with the fields that every tier has. */
function sourceOf(row: DomainDto | FullDomainDto): string | null {
  return 'confirmed_by' in row ? row.confirmed_by : null;
}

function compactRow({ domain, wayback, first_seen }: DomainDto, news: News | undefined): CompactRow {
  // The time of the event matters; the first day would be one date too many.
  if (news) return { domain, wayback, [news[0]]: news[1].slice(0, MINUTES) };
  return { domain, wayback, ...(first_seen !== null && { first_seen }) };
}

export function checkedList({ results, pending, token, rate, quota }: BulkCheckResult): CheckedList {
  const note = sandboxWords(...results.map(({ result }) => result?.registry.source));
  return {
    ok: true,
    results: results.map(checkedRow),
    pending,
    token,
    ...(note !== '' && { note }),
    rate,
    ...(quota && { quota }),
  };
}

function checkedRow({ domain, status, result, error }: BulkCheckItem): CheckedRow {
  if (!result) return { domain, state: error?.code ?? status, available: false };
  const { available, known, wayback, registry, reason } = result;
  const { state, checked_at } = registry;
  return { domain, state, available, ...(reason && { reason }), checked_at, ...(known && { wayback }) };
}

/** @param ordering a hint at ordering, for an available name */
export function handOff(checked: CheckResult, ordering: string): RegisterResult {
  const { ok, domain, tld, available, registrable, name_rule, register_url, registry, rate, quota } = checked;
  const name = parseDomainName(domain);
  return {
    ok,
    domain,
    tld,
    available,
    registrable,
    name_rule,
    registered_by_this_call: false,
    register_url,
    reason:
      registry.state === 'reserved'
        ? reasonOfReserve(name.reserved)
        : REASONS[registry.state] + doubtOf(ruleAgainst(name, available)),
    what_next:
      (registry.source === 'sandbox' ? SANDBOX_NOTICE : '') +
      WHAT_NEXT[registry.state] +
      (registry.state === 'available' ? ordering : ''),
    eligibility: checked.eligibility,
    registry,
    rate,
    ...(quota && { quota }),
  };
}

const REASONS: Record<Exclude<RegistryState, 'reserved'>, string> = {
  available: 'The registry says that the name can be registered now. Whoever registers first gets it.',
  registered: 'Registered.',
  expired_hold: 'The registration has expired, but its holder can still renew it.',
  pending_purge: 'The name has expired and is about to be released; until then it belongs to its holder.',
  pending_delete: 'The name was deleted and may still be restored until it is released.',
  declined: 'Refused by the registry.',
};

const FIND_ANOTHER =
  'Offer another name: suggest_domains with a part of it, or check_domain with the same label and another suffix.';
const COME_BACK =
  'It may become available: check_domain again in a few days, or offer another name (suggest_domains).';

const WHAT_NEXT: Record<RegistryState, string> = {
  available:
    'Give the user register_url and the eligibility rule. They complete the checkout there; do not say ' +
    'that the name is registered.',
  registered: FIND_ANOTHER,
  expired_hold: COME_BACK,
  pending_purge: COME_BACK,
  pending_delete: COME_BACK,
  reserved: FIND_ANOTHER,
  declined: FIND_ANOTHER,
};

// Before the ordinary text: a visitor of the demo should see what an agent reads.
const SANDBOX_NOTICE =
  'This is the demo with a made-up registry: show the user what the answer looks like, and do not act ' +
  'on it. With a real registry: ';

/** A doubt for a person to clear up before paying. */
function doubtOf(rule: NameRule | null): string {
  return rule
    ? ` Mind that the label is special (${rule.reason}): it is ${rule.what}. Look into ${rule.source}.`
    : '';
}

function reasonOfReserve(reserved: NameRule | null): string {
  const reason = reserved ? `it is ${reserved.what}` : 'the registry says that it is reserved';
  return `Reserved: ${reason}.`;
}
