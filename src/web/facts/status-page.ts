import type { Status } from '../../api/status/status.dto.js';
import { renderAtom, renderLayout, type SiteView } from '../layout/layout.js';
import { template } from '../layout/templates.js';
import { counted, fillIn, grouped, percent, t } from '../../texts/texts.js';
import {
  momentInWords,
  registryStateOf,
  scoresInWords,
  sourceInWords,
  timeView,
  type TimeView,
} from '../layout/words.js';

const statusPage = template('status');
const incidentsPage = template('incidents');

export const QUEUES = t.status.queueNames;

export function renderStatus(site: SiteView, status: Status, now: Date, signedIn: boolean): string {
  const at = (text: string | null): TimeView | null => (text === null ? null : timeView(new Date(text), now));
  const { truth, offers, confirmation, queues } = status;
  const body = statusPage({
    asOf: at(status.as_of),
    verdict: verdictOf(status),
    incidents: status.incidents.map(incidentView),
    truth: truthOf(truth),
    share: shareOf(truth),
    available: grouped(offers.available),
    ...servedOf(status.service_levels),
    stale: offers.stale === null ? t.status.notKnown : grouped(offers.stale),
    confirmationDays: confirmation.days,
    confirmed: grouped(confirmation.confirmed),
    wait: confirmation.p50_seconds === null ? t.status.noneYet : secondsInWords(confirmation.p50_seconds),
    changes: truth.changes.flatMap((one) => changeInWords(one) ?? []),
    truthDays: truth.days,
    windows: truth.windows.map(({ hours }) => lengthInWords(hours)),
    shares: sharesOf(truth.windows),
    samples: samplesOf(truth),
    upstreams: upstreamsOf(status, at),
    queues: Object.entries(QUEUES).map(([name, words]) => {
      const queue = queues[name as keyof typeof QUEUES];
      const isOff = name === 'archive' && status.archive.source === null;
      return {
        words,
        waiting: isOff ? t.status.off : waitingOf(queue),
        oldest: at(queue.oldest),
        end: at(queue.ends_at),
      };
    }),
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

function verdictOf({ registries, writes_stopped: stopped, lists, truth, incidents }: Status): {
  words: string;
  tone: string;
} {
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
  return { words: verdicts.working, tone: 'free' };
}

export function waitingOf({ waiting, precision }: Status['queues']['purge']): string {
  return waiting === null
    ? t.status.notKnown
    : fillIn(t.status.precise[precision ?? 'exact'], { count: waiting });
}

type Sample = Status['truth']['offers'];
type Window = Status['truth']['windows'][number];

/** The shortest window with a large enough sample is shown: the mean of a month hides a change. */
function truthOf({ windows, offers }: Status['truth']): string {
  if (offers.sampled === 0) return t.status.noSample;
  const told = windows.find((window) => window.offers.share !== null);
  if (!told || told.offers.share === null)
    return fillIn(t.status.tooFew, { offers: counted(offers.sampled, 'offer') });
  const { sampled, taken, share } = told.offers;
  return fillIn(t.status.sample, {
    offers: counted(sampled, 'offer'),
    length: lengthInWords(told.hours),
    ...{ taken, share: percent(share), interval: intervalOf(told.offers) },
  });
}

/** Minutes in which the pages answered. */
function servedOf({ days, objectives }: Status['service_levels']): {
  served: string | null;
  servedDays: number;
} {
  const measured = objectives.find(({ indicator }) => indicator === 'availability.pages')?.measured ?? null;
  // Rounded down: 100% is said of no bad minute alone.
  const served = measured === null ? null : `${Math.floor(measured * 10_000) / 100}%`;
  return { served, servedDays: days };
}

function shareOf({ windows }: Status['truth']): string | null {
  const share = windows.find(({ offers }) => offers.share !== null)?.offers.share ?? null;
  return share === null ? null : percent(share);
}

const GOOD = ['answered', 'imported', 'unchanged'];
const BAD = ['failing', 'paused', 'alarm'];

function toneOf(state: string): string {
  if (GOOD.includes(state)) return 'free';
  return BAD.includes(state) ? 'gone' : 'unk';
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
    share: sample.share === null ? t.status.notKnown : percent(sample.share),
    interval: intervalOf(sample),
  });
  return [
    row(t.status.all, offers),
    ...by_band.map((band) => row(capital(scoresInWords(band.score_from, band.score_to)), band)),
    ...by_rank.map((rank) => row(fillIn(t.status.firstOf, { count: rank.top }), rank)),
  ];
}

function upstreamsOf(
  { registries, lists, archive }: Status,
  at: (text: string | null) => TimeView | null,
): object[] {
  const upstreams = [
    ...registries.map((registry) => ({
      who: capital(sourceInWords(registry.source)),
      state: registryStateOf(registry),
      at: at(registry.last_answered_at),
    })),
    ...lists.map(({ kind, last_outcome, last_imported_at }) => ({
      who: fillIn(t.status.dropListOf, { kind }),
      state: last_outcome ?? ('never' as const),
      at: at(last_imported_at),
    })),
    {
      who: archive.source === 'sandbox' ? t.status.sandboxArchive : t.status.archive,
      state: archiveStateOf(archive),
      at: at(archive.last_answered_at),
    },
  ];
  return upstreams.map(({ state, ...upstream }) => ({
    ...upstream,
    isOff: state === 'off',
    state: t.status.upstream[state],
    tone: toneOf(state),
  }));
}

function archiveStateOf(archive: Status['archive']): 'off' | 'resting' | 'silent' | 'answered' {
  if (archive.source === null) return 'off';
  if (archive.resting_until !== null) return 'resting';
  return archive.last_answered_at === null ? 'silent' : 'answered';
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function secondsInWords(seconds: number): string {
  if (seconds < 90) return fillIn(t.status.seconds, { count: Math.round(seconds) });
  return seconds < 5_400
    ? fillIn(t.times.minutes, { count: Math.round(seconds / 60) })
    : fillIn(t.times.hours, { count: Math.round(seconds / 3_600) });
}
