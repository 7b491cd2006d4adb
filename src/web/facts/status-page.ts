import type { Status } from '../../api/status/status.dto.js';
import { renderAtom, renderLayout, type SiteView } from '../layout/layout.js';
import { template } from '../layout/templates.js';
import { counted, grouped } from '../../texts/texts.js';
import {
  momentInWords,
  percent,
  registryInWords,
  scoresInWords,
  sourceInWords,
  timeView,
  type TimeView,
} from '../layout/words.js';

const statusPage = template('status');
const incidentsPage = template('incidents');

export const QUEUES = {
  purge: 'past their drop time',
  drops: 'dropped within two days, to be confirmed',
  repeat: 'new or shown first, due for another check',
  retry: 'to be checked again',
  recheck: 'other listed names, due for a check',
  backlog: 'never checked, or dropped earlier',
  archive: 'to be scored',
} as const;

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
    stale: offers.stale === null ? 'not known' : grouped(offers.stale),
    confirmationDays: confirmation.days,
    confirmed: grouped(confirmation.confirmed),
    wait: confirmation.p50_seconds === null ? 'none yet' : secondsInWords(confirmation.p50_seconds),
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
        waiting: isOff ? 'off' : waitingOf(queue),
        oldest: at(queue.oldest),
        end: at(queue.ends_at),
      };
    }),
  });
  return renderLayout(site, {
    title: 'Status',
    description: 'How many offers are wrong, measured; how fresh the lists are; how the registry is doing.',
    canonical: '/status',
    section: '/status',
    signedIn,
    body,
  });
}

type Incident = Status['incidents'][number];

function incidentView({ title, words, began_at: began, ended_at: ended }: Incident): object {
  const from = momentInWords(new Date(began));
  const when = ended === null ? `Since ${from}` : `${from} to ${momentInWords(new Date(ended))}`;
  return { title, words, when, isOver: ended !== null };
}

/** @param incidents the newest first */
export function renderIncidents(site: SiteView, incidents: readonly Incident[], signedIn: boolean): string {
  return renderLayout(site, {
    title: 'Incidents',
    description: 'What went wrong with the service, when, and whom it touched.',
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
    title: 'Incidents of Bowerbird',
    selfUrl: `${pageUrl}.atom`,
    pageUrl,
    since: new Date(0),
    entries: newestFirst.map(({ id, title, words, ended_at: ended, updated_at: updated }) => ({
      id: `urn:uuid:${id}`,
      title: ended === null ? title : `Resolved: ${title}`,
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
  if (stopped) return { words: 'Answers are not written', tone: 'gone' };
  const open = incidents.find(({ ended_at: ended }) => ended === null);
  if (open) return { words: open.title, tone: 'wait' };
  const states = registries.map(registryInWords);
  if (states.every((state) => state === 'failing its self-test' || state === 'paused after failures'))
    return { words: 'The registry does not answer', tone: 'gone' };
  if (lists.some(({ last_outcome: outcome }) => outcome === 'alarm'))
    return { words: 'A drop list was refused', tone: 'wait' };
  if (truth.changes.some(({ change }) => change === 'rise'))
    return { words: 'More names are taken than usual', tone: 'wait' };
  if (!states.includes('answered')) return { words: 'The registry has not answered yet', tone: 'wait' };
  return { words: 'Working', tone: 'free' };
}

const PRECISION_WORDS = { exact: '', estimated: 'about ', at_least: 'more than ' };

export function waitingOf({ waiting, precision }: Status['queues']['purge']): string {
  return waiting === null ? 'not known' : `${PRECISION_WORDS[precision ?? 'exact']}${grouped(waiting)}`;
}

type Sample = Status['truth']['offers'];
type Window = Status['truth']['windows'][number];

/** The shortest window with a large enough sample is shown: the mean of a month hides a change. */
function truthOf({ windows, offers }: Status['truth']): string {
  if (offers.sampled === 0) return 'No sample has been checked yet.';
  const told = windows.find((window) => window.offers.share !== null);
  if (!told || told.offers.share === null)
    return `${counted(offers.sampled, 'offer')} were checked with the registry: too few to tell a share.`;
  const { sampled, taken, share } = told.offers;
  const length = lengthInWords(told.hours);
  const drawn = `Of ${counted(sampled, 'offer')} picked at random in the last ${length} and checked with the registry`;
  const interval = `${intervalOf(told.offers)} with 95 % certainty`;
  return `${drawn}, ${grouped(taken)} had been taken: ${percent(share)}, ${interval}.`;
}

function shareOf({ windows }: Status['truth']): string | null {
  const share = windows.find(({ offers }) => offers.share !== null)?.offers.share ?? null;
  return share === null ? null : percent(share);
}

const GOOD = ['answered', 'imported', 'unchanged'];
const BAD = ['failing its self-test', 'paused after failures', 'alarm'];

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
  const among = { offers: '', first_100: 'Among the first 100 names, ', rechecks: 'When asked again, ' }[of];
  const more = `${among}${change === 'rise' ? 'more' : 'fewer'} offers are taken than usual`;
  const day = `${grouped(day_taken)} of ${grouped(day_sampled)} in the last 24 hours`;
  const expected = day_expected === null ? '' : `, where about ${grouped(day_expected)} were expected`;
  const before = `The 30 days before had ${grouped(before_taken)} of ${grouped(before_sampled)}`;
  return `${more.charAt(0).toUpperCase()}${more.slice(1)}: ${day}${expected}. ${before}. That is more than chance.`;
}

function lengthInWords(hours: number): string {
  return hours <= 24 ? `${hours} hours` : `${hours / 24} days`;
}

function intervalOf({ low, high }: Pick<Sample, 'low' | 'high'>): string {
  return low === null || high === null ? 'not known' : `${percent(low)} to ${percent(high)}`;
}

/** One row for each kind of offers, one cell for each window. */
function sharesOf(windows: readonly Window[]): object[] {
  const row = (words: string, of: (window: Window) => Sample | undefined) => ({
    words,
    cells: windows.map((window) => {
      const measured = of(window);
      const sampled = `${grouped(measured?.sampled ?? 0)} sampled`;
      if (!measured || measured.share === null) return { share: 'too few to tell', rest: sampled };
      return { share: percent(measured.share), rest: `${intervalOf(measured)}; ${sampled}` };
    }),
  });
  const ages = windows[0]?.by_age ?? [];
  return [
    row('all', ({ offers }) => offers),
    row('the first 100', ({ first_100 }) => first_100),
    ...ages.map((age, place) =>
      row(ageInWords(age.age_from_days, age.age_to_days), ({ by_age }) => by_age[place]),
    ),
  ];
}

function ageInWords(from: number | null, to: number | null): string {
  if (from === null) return 'no drop known';
  if (to === null) return `dropped ${grouped(from)} days ago or earlier`;
  return from === 0 ? 'dropped within a day' : `dropped ${from} to ${to} days ago`;
}

function samplesOf({ offers, by_band, by_rank }: Status['truth']): object[] {
  const row = (words: string, sample: Sample) => ({
    words,
    sampled: grouped(sample.sampled),
    share: sample.share === null ? 'not known' : percent(sample.share),
    interval: intervalOf(sample),
  });
  return [
    row('all', offers),
    ...by_band.map((band) => row(scoresInWords(band.score_from, band.score_to), band)),
    ...by_rank.map((rank) => row(`the first ${grouped(rank.top)}`, rank)),
  ];
}

function upstreamsOf(
  { registries, lists, archive }: Status,
  at: (text: string | null) => TimeView | null,
): object[] {
  const upstreams = [
    ...registries.map((registry) => ({
      who: sourceInWords(registry.source),
      state: registryInWords(registry),
      at: at(registry.last_answered_at),
    })),
    ...lists.map(({ kind, last_outcome, last_imported_at }) => ({
      who: `drop list of ${kind} names`,
      state: last_outcome ?? 'not fetched yet',
      at: at(last_imported_at),
    })),
    {
      who: archive.source === 'sandbox' ? 'the archive of the sandbox' : 'the web archive',
      state:
        archive.source === null
          ? 'off'
          : archive.resting_until !== null
            ? 'paused for a while'
            : archive.last_answered_at === null
              ? 'has not answered yet'
              : 'answered',
      at: at(archive.last_answered_at),
    },
  ];
  return upstreams.map((upstream) => ({
    ...upstream,
    who: `${upstream.who.charAt(0).toUpperCase()}${upstream.who.slice(1)}`,
    tone: toneOf(upstream.state),
  }));
}

function secondsInWords(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
