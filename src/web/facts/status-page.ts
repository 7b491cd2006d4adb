import type { Status } from '../../api/status/status.dto.js';
import { MIN_SAMPLE } from '../../domains/truth/truth-windows.js';
import { timeInPurgeZone } from '../../domains/schema/calendar-date.js';
import { AVAILABILITY_TARGET } from '../../observe/objectives.js';
import type { ServiceDays } from './service-days.js';
import { renderAtom, renderLayout, type SiteView } from '../layout/layout.js';
import { template } from '../layout/templates.js';
import { counted, fillIn, grouped, percent, t } from '../../texts/texts.js';
import { momentInWords, registryStateOf, timeView, type TimeView } from '../layout/words.js';

import { secondsInWords, type ServiceRow, serviceRows } from './service-rows.js';

const statusPage = template('status');
const incidentsPage = template('incidents');

export const QUEUES = t.status.queueNames;

interface StatusView {
  readonly status: Status;
  readonly service: ServiceDays;
  /** After so many days without a check a name is not listed; Infinity: never. */
  readonly maxAgeDays: number;
  readonly now: Date;
}

export function renderStatus(site: SiteView, view: StatusView, signedIn: boolean): string {
  const { status, service, now } = view;
  const at = (text: string | null): TimeView | null => (text === null ? null : timeView(new Date(text), now));
  const { truth, offers, queues } = status;
  const rows = serviceRows(view, at);
  const share = shareOf(truth);
  const asOf = timeView(new Date(status.as_of), now);
  const body = statusPage({
    asOf: { ...asOf, words: `${timeInPurgeZone(new Date(status.as_of))} AEST` },
    title: share === null ? t.status.tooEarly : t.status.title,
    lead: share !== null ? '' : offers.available === 0 ? t.status.nothingListed : t.status.fewChecks,
    verdict: verdictOf(status, rows, share),
    incidents: status.incidents.map(incidentView),
    truth: truthOf(truth),
    share,
    freshness: freshnessOf(view),
    availability: availabilityOf(service),
    changes: truth.changes.flatMap((one) => changeInWords(one) ?? []),
    truthDays: truth.days,
    windows: truth.windows.map(({ hours }) => lengthInWords(hours)),
    shares: sharesOf(truth.windows),
    samples: samplesOf(truth),
    rows,
    queues: Object.entries(QUEUES).map(([name, words]) => {
      const isOff = name === 'archive' && status.archive.source === null;
      return { words, waiting: isOff ? t.status.off : waitingOf(queues[name as keyof typeof QUEUES]) };
    }),
    cleared: clearedOf(status, at),
  });
  return renderLayout(site, {
    title: t.status.pageTitle,
    description: t.status.description,
    canonical: '/status',
    section: '/status',
    signedIn,
    body,
  });
}

/** When no name waits for the registry any more; null where that is not known of a queue, or none waits. */
function clearedOf(
  { queues, archive }: Status,
  at: (text: string | null) => TimeView | null,
): TimeView | null {
  const waiting = Object.keys(QUEUES)
    .filter((name) => name !== 'archive' || archive.source !== null)
    .map((name) => queues[name as keyof typeof QUEUES])
    .filter((queue) => queue.waiting !== 0);
  const ends = waiting.map(({ ends_at: end }) => end);
  return ends.includes(null) ? null : at(ends.toSorted().at(-1) ?? null);
}

type Incident = Status['incidents'][number];

function incidentView({ title, words, began_at: began, ended_at: ended }: Incident): object {
  const from = momentInWords(new Date(began));
  const when =
    ended === null
      ? fillIn(t.status.since, { from })
      : fillIn(t.status.fromTo, { from, to: momentInWords(new Date(ended)) });
  return { title, words, when, isOver: ended !== null };
}

/** @param incidents the newest first */
export function renderIncidents(site: SiteView, incidents: readonly Incident[], signedIn: boolean): string {
  return renderLayout(site, {
    title: t.status.incidents,
    description: t.status.incidentsDescription,
    canonical: '/status/incidents',
    section: '/status',
    signedIn,
    body: incidentsPage({ incidents: incidents.map(incidentView) }),
  });
}

/** The same as Atom: an entry is as new as its text. */
export function renderIncidentFeed(
  { baseUrl }: SiteView,
  incidents: readonly (Incident & { readonly id: string })[],
): string {
  const pageUrl = `${baseUrl}/status/incidents`;
  const newestFirst = incidents.toSorted((one, other) => (one.updated_at < other.updated_at ? 1 : -1));
  return renderAtom({
    title: t.status.feedTitle,
    selfUrl: `${pageUrl}.atom`,
    pageUrl,
    entries: newestFirst.map(({ id, title, words, ended_at: ended, updated_at: updated }) => ({
      id: `urn:uuid:${id}`,
      title: ended === null ? title : fillIn(t.status.resolvedTitle, { title }),
      url: pageUrl,
      updated: new Date(updated),
      summary: words,
    })),
  });
}

function verdictOf(
  { registries, writes_stopped: stopped, lists, truth, incidents }: Status,
  rows: readonly ServiceRow[],
  share: string | null,
): { words: string; tone: string } {
  const { verdicts } = t.status;
  if (stopped) return { words: verdicts.stopped, tone: 'gone' };
  const open = incidents.find(({ ended_at: ended }) => ended === null);
  if (open) return { words: open.title, tone: 'wait' };
  const states = registries.map(registryStateOf);
  if (states.every((state) => state === 'failing' || state === 'paused'))
    return { words: verdicts.silent, tone: 'gone' };
  if (lists.some(({ last_outcome: outcome }) => outcome === 'alarm'))
    return { words: verdicts.refused, tone: 'wait' };
  if (truth.changes.some(({ change }) => change === 'rise')) return { words: verdicts.rise, tone: 'wait' };
  if (!states.includes('answered')) return { words: verdicts.waiting, tone: 'wait' };
  if (share === null) return { words: verdicts.warming, tone: 'wait' };
  const isWhole = rows.every(({ tone }) => tone === 'free');
  return { words: isWhole ? verdicts.all : verdicts.working, tone: 'free' };
}

export function waitingOf({ waiting, precision }: Status['queues']['purge']): string {
  return waiting === null
    ? t.status.notKnown
    : fillIn(t.status.precise[precision ?? 'exact'], { count: waiting });
}

type Sample = Status['truth']['offers'];
type Window = Status['truth']['windows'][number];

interface TruthView {
  readonly words: string;
  readonly rest: string;
  /** Of a sample that is still too small. */
  readonly progress: { readonly value: number; readonly max: number; readonly words: string } | null;
}

/** The shortest window with a large enough sample is shown: the mean of a month hides a change. */
function truthOf({ windows, offers }: Status['truth']): TruthView {
  const shown = windows.find((window) => window.offers.share !== null);
  if (!shown) {
    const value = Math.min(offers.sampled, MIN_SAMPLE);
    const words = fillIn(t.status.tooFew, { sampled: value, least: MIN_SAMPLE });
    return { words, rest: '', progress: { value, max: MIN_SAMPLE, words } };
  }
  const { sampled, taken } = shown.offers;
  return {
    words: fillIn(t.status.sample, {
      ...{ offers: counted(sampled, 'offer'), length: lengthInWords(shown.hours), taken },
    }),
    rest: fillIn(t.status.likely, { interval: intervalOf(shown.offers) }),
    progress: null,
  };
}

interface Figure {
  readonly big: string;
  readonly isKnown: boolean;
  readonly words: string;
  readonly rest: string;
}

function freshnessOf({ status: { offers, confirmation }, maxAgeDays }: StatusView): Figure {
  const { p50_seconds: half, p95_seconds: most } = confirmation;
  const rest =
    half === null || most === null
      ? t.status.noDrops
      : fillIn(t.status.freshHint, { half: secondsInWords(half), most: secondsInWords(most) });
  const { available, stale, stale_share: share } = offers;
  if (available === 0) return { big: t.status.nothing, isKnown: false, words: t.status.noneListed, rest };
  if (share === null || !Number.isFinite(maxAgeDays)) {
    const words = fillIn(t.status.listed, { offers: counted(available, 'listedName') });
    return { big: t.status.notKnown, isKnown: false, words, rest };
  }
  const words = fillIn(t.status.fresh, { days: counted(maxAgeDays, 'day'), stale: stale ?? 0 });
  return { big: floored(1 - share), isKnown: true, words, rest };
}

/** Rounded down: 100% is said of no bad minute alone. */
const floored = (share: number): string => `${Math.floor(share * 10_000) / 100}%`;

function availabilityOf({ days, measuredDays, good }: ServiceDays): Figure & { readonly chart: string } {
  const words = fillIn(t.status.servedHint, { days: counted(Math.max(measuredDays, 1), 'day') });
  const rest =
    measuredDays > 0 && measuredDays < days.length
      ? fillIn(t.status.notMeasured, { days: counted(days.length - measuredDays, 'day') })
      : '';
  return {
    ...{ big: good === null ? t.status.notYet : floored(good), isKnown: good !== null },
    ...{ words: good === null ? t.status.noMinutes : words, rest, chart: drawDays(days) },
  };
}

/** One bar a day: green for a good day, high and brown for a bad one, low for a day without measurements. */
function drawDays(days: ServiceDays['days']): string {
  const path = (isIt: (good: number | null) => boolean, height: number) =>
    days.map(({ good }, place) => (isIt(good) ? `M${place * 4} 40v-${height}h3v${height}z` : '')).join('');
  const isGood = (good: number | null) => good !== null && good >= AVAILABILITY_TARGET;
  const isBad = (good: number | null) => good !== null && !isGood(good);
  const paths =
    `<path class="g" d="${path(isGood, 32)}"/><path class="w" d="${path(isBad, 40)}"/>` +
    `<path class="t" d="${path((good) => good === null, 8)}"/>`;
  const words = fillIn(t.status.daysPicture, {
    good: days.filter(({ good }) => isGood(good)).length,
    bad: days.filter(({ good }) => isBad(good)).length,
    unknown: days.filter(({ good }) => good === null).length,
  });
  const ticks = `<span>${t.status.daysAgo}</span><span>${t.status.today}</span>`;
  return (
    `<figure class="chart low" role="img" aria-label="${words}"><svg viewBox="0 0 ${days.length * 4} 40" ` +
    `preserveAspectRatio="none" aria-hidden="true">${paths}</svg>` +
    `<div class="ticks" aria-hidden="true">${ticks}</div></figure>`
  );
}

function shareOf({ windows }: Status['truth']): string | null {
  const share = windows.find(({ offers }) => offers.share !== null)?.offers.share ?? null;
  return share === null ? null : percent(share);
}

function changeInWords({
  of,
  change,
  day_sampled,
  day_taken,
  day_expected,
  before_sampled,
  before_taken,
}: Status['truth']['changes'][number]): string | null {
  if (change !== 'rise' && change !== 'fall') return null;
  const words = t.status.changes;
  const what = of === 'offers' ? words[change] : fillIn(words[`${change}Among`], { among: words[of] });
  const before = fillIn(words.before, { taken: before_taken, sampled: before_sampled });
  const day = { what, taken: day_taken, sampled: day_sampled, before };
  return day_expected === null
    ? fillIn(words.day, day)
    : fillIn(words.expected, { ...day, expected: day_expected });
}

function lengthInWords(hours: number): string {
  return hours <= 24 ? counted(hours, 'hour') : counted(hours / 24, 'day');
}

function intervalOf({ low, high }: Pick<Sample, 'low' | 'high'>): string {
  if (low === null || high === null) return t.status.notKnown;
  return fillIn(t.status.interval, { low: percent(low), high: percent(high) });
}

/** One row for each kind of offers, one cell for each window. */
function sharesOf(windows: readonly Window[]): object[] {
  const row = (words: string, of: (window: Window) => Sample | undefined) => ({
    words,
    cells: windows.map((window) => {
      const measured = of(window);
      const sampled = fillIn(t.status.sampled, { count: measured?.sampled ?? 0 });
      if (!measured || measured.share === null) return { share: t.status.tooFewShort, rest: sampled };
      const rest = fillIn(t.status.rest, { interval: intervalOf(measured), sampled });
      return { share: percent(measured.share), rest };
    }),
  });
  const ages = windows[0]?.by_age ?? [];
  return [
    row(t.status.all, ({ offers }) => offers),
    row(t.status.first100, ({ first_100 }) => first_100),
    ...ages.map((age, place) =>
      row(ageInWords(age.age_from_days, age.age_to_days), ({ by_age }) => by_age[place]),
    ),
  ];
}

function ageInWords(from: number | null, to: number | null): string {
  if (from === null) return t.status.noDrop;
  if (to === null) return fillIn(t.status.droppedBefore, { from });
  return from === 0 ? t.status.droppedToday : fillIn(t.status.droppedBetween, { from, to });
}

function samplesOf({ offers, by_band, by_rank }: Status['truth']): object[] {
  const row = (words: string, sample: Sample) => ({
    words,
    sampled: grouped(sample.sampled),
    share:
      sample.share === null
        ? t.status.notKnown
        : fillIn(t.status.takenShare, { taken: sample.taken, share: percent(sample.share) }),
    interval: intervalOf(sample),
  });
  return [
    row(t.status.all, offers),
    ...by_band.map((band) => row(bandInWords(band.score_from, band.score_to), band)),
    ...by_rank.map((rank) => row(fillIn(t.status.firstOf, { count: rank.top }), rank)),
  ];
}

function bandInWords(from: number, to: number | null): string {
  const { bands } = t.status;
  return fillIn(to === null ? bands.from : from === to ? bands.one : bands.range, { from, to: to ?? from });
}
