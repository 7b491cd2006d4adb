import type { KeptScore } from '../../archive/archive-score.repository.js';
import type { FormerSiteView } from '../../archive/former-site/former-sites.js';
import { FORMULA } from '../../archive/archive-score.js';
import type { Registrar } from '../../config/parsers.js';
import { registerUrl, waybackUrl } from '../../domains/schema/fields.js';
import type { Domain } from '../../domains/schema/domain.js';
import { BADGE_OF_STATE, type DomainState } from '../../domains/schema/states.js';
import { isVouched } from '../../domains/lifecycle/listings/listing.js';
import type { DomainEvent } from '../../domains/feed/domain-event.repository.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import { ELIGIBILITY } from '../../domains/name/eligibility.js';
import type { LoggedAnswer } from '../../registry/answer-log.repository.js';
import type { RegistryAnswer } from '../../registry/answer.js';
import type { Sibling } from '../../registry/sibling.dto.js';
import { barsOfYears, drawBars, drawSteps } from '../layout/charts.js';
import { renderLayout, type SiteView } from '../layout/layout.js';
import { template } from '../layout/templates.js';
import { counted, fillIn, grouped, t } from '../../texts/texts.js';
import {
  dayInFull,
  dayInWords,
  momentInWords,
  sourceInWords,
  timeView,
  type TimeView,
} from '../layout/words.js';
import { dayInPurgeZone } from '../../domains/schema/calendar-date.js';
import {
  type Badge,
  badgeOfSibling,
  BADGES,
  type NameStatus,
  saidAtOf,
  stateOf,
  statusOfKept,
  statusOfKnown,
} from './status-badge.js';
import type { LifeType } from '../../domains/schema/events.js';
import type { JudgingView } from './name-eligibility.js';
import type { NameRow } from './name-row.js';
import type { OrderHereView } from './order-here.js';

export interface NameKnowledge {
  readonly name: DomainName;
  /** Null for an unknown or hidden name. */
  readonly row: Domain | null;
  /** The registry's last answer, if still cached. */
  readonly answer: RegistryAnswer | null;
  /** The last answer of a registry, for the label under each suffix: one that said what it is, where there is one. */
  readonly last: ReadonlyMap<string, LoggedAnswer>;
  /** Answers about the name that are kept, newest first. */
  readonly checks: readonly LoggedAnswer[];
  readonly score: KeptScore | null;
  /** That it is among so many percent of the names on offer with the best scores; null: that is not said. */
  readonly top: number | null;
  /** Null where there is none to show. */
  readonly site: FormerSiteView | null;
  /** Newest first. */
  readonly events: readonly DomainEvent<LifeType>[];
  /** The label under the six suffixes. */
  readonly siblings: readonly Sibling[];
  readonly related: Related | null;
  readonly now: Date;
}

/** Dropped names with a word of this name. */
export interface Related {
  readonly word: string;
  readonly rows: readonly NameRow[];
}

/** From this age on a visitor is asked to check again before they pay. */
const FRESH_MS = 15 * 60_000;

interface Settings {
  readonly registrars: readonly Registrar[];
  /** Null where it cannot be ordered here. */
  readonly orderHere: OrderHereView | null;
  readonly signedIn: boolean;
  /** Null where names cannot be ordered. */
  readonly judging: JudgingView | null;
  /** The address of the list that the visitor came from. */
  readonly back: string | null;
}

const namePage = template('name');

/** The longest labels in large letters, and in small ones on one line. */
const SIZES = { large: 13, small: 24 };

export function renderNamePage(site: SiteView, known: NameKnowledge, settings: Settings): string {
  const { name, row, answer, score, now } = known;
  const status = statusOfThis(known);
  const badge = BADGES[status.badge];
  const years = barsOfYears(score?.daysByYear ?? {});
  const eligibility = ELIGIBILITY[name.tld];
  const handOffs = isFree(known) ? handOffsOf(name, settings) : [];
  const siblings = siblingsOf(known);
  const { length } = name.name;
  const body = namePage({
    name,
    back: settings.back,
    size: length > SIZES.small ? ' m x' : length > SIZES.large ? ' m' : '',
    badge,
    meaning: t.names.meanings[status.badge],
    said: status.saidAt && timeView(status.saidAt, now),
    saidBy: capital(status.saidBy === null ? t.names.unknownSource : sourceInWords(status.saidBy)),
    isUnasked: status.badge === 'never_asked',
    isListed: row !== null,
    words: answer?.message ?? null,
    lead: leadOf(known),
    caution: cautionOf(name),
    handOffs,
    orderHere: settings.orderHere,
    isOld: handOffs.length > 0 && !isFresh(status, now),
    isAsked: status.saidAt !== null,
    earns: settings.registrars.some((registrar) => registrar.earns),
    canAsk: name.reserved === null,
    canWatch: site.hasAccounts && name.reserved === null,
    score: row && { words: scoreInWords(row), steps: drawSteps(row.wayback), label: scoreLabelOf(known) },
    figures: figuresOf(known, years.length),
    facts: factsOf(known),
    captured: capturedOf(known),
    site: siteViewOf(known),
    chart: drawBars(years, fillIn(t.names.chartLabel, { domain: name.domain })),
    years: years.map((bar) => ({ ...bar, href: captureUrl(name, bar.label) })),
    steps: stepsOf(known),
    waybackUrl: waybackUrl(name.domain),
    events: eventsOf(known),
    siblings,
    unasked: siblings.filter(({ isAsked }) => !isAsked).map(({ domain }) => domain),
    related: known.related,
    judging: settings.judging,
    eligibility: { ...eligibility, link: /https?:\/\/[^\s)]+/.exec(eligibility.source)?.[0] ?? null },
    apiUrl: `${site.baseUrl}/api/v1/domains/${name.domain}`,
    checkUrl: `${site.baseUrl}/v1/domains/check?domain=${name.domain}`,
  });
  return renderLayout(site, {
    title: name.domain,
    description: `${name.domain}: ${badge.words.toLowerCase()}. ${leadOf(known)}`,
    canonical: row ? `/domains/${name.domain}` : undefined,
    picture: row
      ? { path: `/domains/${name.domain}/picture.png`, words: `${name.domain}: ${badge.words.toLowerCase()}` }
      : undefined,
    about: row ? aboutOf(site, known) : undefined,
    signedIn: settings.signedIn,
    scripted: true,
    body,
  });
}

function statusOfThis({ name, answer, row, last, now }: NameKnowledge): NameStatus {
  return statusOfKnown(name, answer, row, last.get(name.domain), now);
}

/** The page and its place on the site, as schema.org has them. A name is no product: we sell none. */
function aboutOf({ baseUrl }: SiteView, { name, row }: NameKnowledge): object {
  const url = `${baseUrl}/domains/${name.domain}`;
  const trail = [
    { name: 'Search', item: `${baseUrl}/` },
    { name: `.${name.tld}`, item: `${baseUrl}/?tld=${name.tld}` },
    { name: name.domain, item: url },
  ];
  return {
    '@context': 'https://schema.org',
    '@type': 'WebPage',
    ...{ name: name.domain, url, inLanguage: 'en-AU', image: `${url}/picture.png` },
    ...(row?.checkedAt && { dateModified: row.checkedAt.toISOString() }),
    breadcrumb: {
      '@type': 'BreadcrumbList',
      itemListElement: trail.map((one, place) => ({ '@type': 'ListItem', position: place + 1, ...one })),
    },
  };
}

/** The same rule as the "Register" of lists. */
export function isFree(known: NameKnowledge): boolean {
  return statusOfThis(known).badge === 'available';
}

function isFresh({ saidAt, saidBy }: NameStatus, now: Date): boolean {
  if (saidAt === null || saidBy === null) return false;
  return !isVouched(saidBy) && now.getTime() - saidAt.getTime() <= FRESH_MS;
}

function handOffsOf({ domain }: DomainName, { registrars }: Settings): object[] {
  return registrars.map(({ name, url, earns, price, price_seen: seen }) => ({
    href: registerUrl(url, domain),
    at: name,
    earns,
    price,
    seen: seen && dayInWords(seen),
  }));
}

function leadOf(known: NameKnowledge): string {
  const { row, name } = known;
  if (name.reserved) return fillIn(t.names.reservedAs, { what: name.reserved.what });
  if (!row) return t.names.notListed;
  const { state, purgeAt, droppedAt } = row;
  const plans: Partial<Record<DomainState, string>> = {
    listed: t.names.toBePurged,
    delisted: t.names.wasToBePurged,
  };
  const plan = plans[state];
  const ahead = plan && purgeAt ? fillIn(plan, { when: momentInWords(purgeAt) }) : '';
  const dropped = droppedAt
    ? fillIn(t.names.itDropped, { when: dayInFull(dayInPurgeZone(droppedAt)) })
    : t.names.onList;
  return [ahead || dropped, archivedOf(known)].filter((words) => words !== '').join(' ');
}

/** Its years in the web archive. */
function archivedOf({ row, score }: NameKnowledge): string {
  const from = (score?.firstCapture ?? row?.archive.firstCapture)?.slice(0, 4);
  const to = (score?.lastCapture ?? row?.archive.lastCapture)?.slice(0, 4);
  if (from === undefined || to === undefined) return '';
  return from === to
    ? fillIn(t.names.archivedIn, { year: from })
    : fillIn(t.names.archivedFrom, { from, to });
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

/** A 0 that the archive has not said is no score. */
function scoreInWords({ wayback, archive }: Pick<Domain, 'wayback' | 'archive'>): string {
  return wayback === 0 && archive.status !== 'none' && archive.status !== 'ok'
    ? t.names.noScoreYet
    : grouped(wayback);
}

/** When the former site was captured. */
function capturedOf({ row, score }: NameKnowledge): string {
  const first = score?.firstCapture ?? row?.archive.firstCapture;
  const last = score?.lastCapture ?? row?.archive.lastCapture;
  if (!first || !last) return row?.archive.status === 'none' ? t.names.notArchived : t.names.noArchiveYet;
  return fillIn(t.names.captured, { first: dayInWords(first), last: dayInWords(last) });
}

/** The former site in words; the text of its pages is a stranger's, and is escaped where it is shown. */
function siteViewOf({ site }: NameKnowledge): object | null {
  if (!site) return null;
  if (site.state !== 'read')
    return site.state === 'waiting' ? { ...site, wait: waitInWords(site.wanted) } : site;
  const { pages, topics, signs } = site;
  return {
    state: pages.length > 0 ? 'read' : 'empty',
    pages,
    topics,
    signs: signs.map(({ warning, evidence }) => ({
      words: t.names.siteWarnings[warning],
      evidence: evidence.map(({ year, words }) =>
        fillIn(t.names.siteEvidence, {
          year: String(year),
          words: words.map((word) => `“${word}”`).join(', '),
        }),
      ),
    })),
  };
}

function waitInWords(wanted: number): string {
  return fillIn(t.names.siteWaiting, { sites: counted(wanted, 'formerSite') });
}

/** The captures of a year, in the archive's calendar. */
function captureUrl({ domain }: DomainName, year: string): string {
  return `https://web.archive.org/web/${year}0601000000*/${domain}`;
}

function scoreLabelOf({ top }: NameKnowledge): string {
  return top === null ? t.names.score : fillIn(t.names.scoreTop, { percent: top });
}

function figuresOf({ name, row, now }: NameKnowledge, years: number): { words: string; value: string }[] {
  return [
    ...(years > 0 ? [{ words: t.names.yearsArchived, value: grouped(years) }] : []),
    { words: t.names.characters, value: grouped(name.name.length) },
    ...(row?.droppedAt ? [{ words: t.names.droppedWhen, value: timeView(row.droppedAt, now).words }] : []),
  ];
}

function cautionOf({ rule }: DomainName): string | null {
  if (!rule) return null;
  const { reason, what, confidence, source } = rule;
  const text = rule.registrable === false ? t.names.cannotRegister : t.names.someCanRegister;
  return fillIn(text, { reason, what, confidence, source });
}

function factsOf({ name, row, score }: NameKnowledge): [string, string][] {
  const facts: [string, string][] = [[t.names.factLength, counted(name.name.length, 'letter')]];
  if (!row) return facts;
  facts.unshift([t.names.factScore, scoreInWords(row)]);
  if (row.archive.captures !== null) facts.push([t.names.factCaptures, grouped(row.archive.captures)]);
  if (score?.longestGapDays) facts.push([t.names.factGap, counted(score.longestGapDays, 'day')]);
  if (row.firstSeen) facts.push([t.names.factFirstSeen, dayInWords(row.firstSeen)]);
  if (row.listedAt)
    facts.push([t.names.factList, `${row.listKind ?? t.names.unknownKind}, ${momentInWords(row.listedAt)}`]);
  if (row.purgeAt && row.state !== 'delisted') facts.push([t.names.factPurge, momentInWords(row.purgeAt)]);
  return facts;
}

/** How the score was computed. */
function stepsOf({ score }: NameKnowledge): string[] {
  if (!score) return [];
  const { captures, days, activeYears, computedAt, wayback, version } = score;
  return [
    fillIn(t.names.answeredWith, { captures: counted(captures, 'capture') }),
    fillIn(t.names.captureDays, { days: counted(days, 'differentDay'), years: counted(activeYears, 'year') }),
    fillIn(t.names.scoreBy, { score: wayback, version: String(version), formula: FORMULA }),
    fillIn(t.names.computedOn, { when: momentInWords(computedAt) }),
  ];
}

interface EventView {
  readonly what: string;
  readonly at: TimeView | null;
  /** Who said so. */
  readonly by: string | null;
  readonly day: string | null;
  readonly isDrop: boolean;
}

interface PastEvent {
  readonly what: string;
  readonly when: Date;
  readonly source: string | null;
  readonly isDrop?: boolean;
}

function eventsOf(known: NameKnowledge): EventView[] {
  const { events, row, now } = known;
  const firstCapture = row?.archive.firstCapture;
  const past: PastEvent[] = [
    ...checksOf(known),
    ...events.map(({ type, occurredAt: when }) => ({
      ...{ what: t.events[type].history, when, source: null, isDrop: type === 'domain.dropped' },
    })),
  ].sort((one, other) => other.when.getTime() - one.when.getTime());
  return [
    ...sameInARow(past).map((run) => {
      const [{ what, when, isDrop = false }] = run;
      return { what, at: timeView(when, now), by: saidByOf(run), day: null, isDrop };
    }),
    ...(firstCapture
      ? [{ what: t.names.firstArchived, at: null, by: null, day: dayInWords(firstCapture), isDrop: false }]
      : []),
  ];
}

type Run = [PastEvent, ...PastEvent[]];

/** Answers that said the same, one after the other, are one entry. */
function sameInARow(past: readonly PastEvent[]): Run[] {
  const runs: Run[] = [];
  for (const event of past) {
    const [last] = runs.at(-1) ?? [];
    const isSame = event.source !== null && event.source === last?.source && event.what === last.what;
    if (isSame) runs.at(-1)?.push(event);
    else runs.push([event]);
  }
  return runs;
}

function saidByOf(run: Run): string | null {
  const [{ source }] = run;
  const first = run.at(-1);
  if (source === null || !first || run.length === 1) return source;
  const times = counted(run.length, 'time');
  return fillIn(t.names.checkedTimes, { source, times, when: momentInWords(first.when) });
}

/** The kept answers of registries, and the last check where only its time is known. */
function checksOf({ checks, answer, row }: NameKnowledge): PastEvent[] {
  const said = checks.map((check) => {
    const state = stateOf(check);
    const { words: what } = BADGES[state ? BADGE_OF_STATE[state] : 'no_answer'];
    return { what, when: saidAtOf(check), source: sourceInWords(check.source) };
  });
  if (said.length === 0 && answer) {
    const { words: what } = BADGES[BADGE_OF_STATE[answer.state]];
    return [{ what, when: answer.checkedAt, source: sourceInWords(answer.source) }];
  }
  const checkedAt = row && !isVouched(row.confirmedBy) ? row.checkedAt : null;
  return said.length === 0 && checkedAt
    ? [{ what: t.names.checkedOnly, when: checkedAt, source: null }]
    : said;
}

interface SiblingView {
  readonly tld: string;
  readonly domain: string;
  readonly isThis: boolean;
  readonly isAsked: boolean;
  readonly at: TimeView | null;
  readonly badge: (typeof BADGES)[Badge];
}

/** This name first. */
function siblingsOf(known: NameKnowledge): SiblingView[] {
  const { name, siblings, last, now } = known;
  const views = siblings.map((sibling) => {
    const { tld, domain, learned_at: learnedAt } = sibling;
    if (tld === name.tld) return { tld, domain, isThis: true, at: null, badge: statusOfThis(known).badge };
    const badge = badgeOfSibling(sibling);
    const kept = badge === 'never_asked' ? last.get(domain) : undefined;
    const status = kept && statusOfKept(kept, now);
    const at = status?.saidAt ?? (learnedAt === null ? null : new Date(learnedAt));
    return { tld, domain, isThis: false, at: at && timeView(at, now), badge: status?.badge ?? badge };
  });
  return views
    .map(({ badge, ...view }) => ({ ...view, isAsked: badge !== 'never_asked', badge: BADGES[badge] }))
    .sort((one, other) => Number(other.isThis) - Number(one.isThis));
}
