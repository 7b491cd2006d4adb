import type { Status } from '../../api/status/status.dto.js';
import { eta, renderLayout, type SiteView } from '../layout/layout.js';
import { sayerInWords } from '../names/sayer.js';
import { counted, grouped, percent, scoresInWords, timeView, type TimeView } from '../words.js';

const TIME = `<% const time = (view) => view ? '<time datetime="' + view.iso + '" title="' + view.full + '">' + view.words + '</time>' : 'not yet'; %>`;

const BODY = eta.compile(`${TIME}
<main id="main" tabindex="-1">
  <section class="hero"><div class="wrap">
    <p><span class="chip <%= it.verdict.tone %>"><%= it.verdict.words %></span> <small>as of <%~ time(it.asOf) %></small></p>
    <h1>How true and how fresh it is</h1>
    <p class="lead"><%= it.truth %></p>
    <dl class="count">
      <div><dt>names on offer</dt><dd><%= it.available %></dd></div>
      <div><dt>not offered: asked about too long ago</dt><dd><%= it.stale %></dd></div>
      <div><dt>confirmed in the last <%= it.confirmationDays %> days</dt><dd><%= it.confirmed %></dd></div>
      <div><dt>from purge to confirmation, half of them within</dt><dd><%= it.wait %></dd></div>
    </dl>
  </div></section>
  <div class="wrap main">
    <h2>How many offers are wrong, by score</h2>
    <div class="table" role="region" aria-label="Samples of offers" tabindex="0"><table>
      <thead><tr><th scope="col">Offers</th><th scope="col" class="n">Sampled</th><th scope="col" class="n">Found taken</th><th scope="col" class="n">95 % interval</th></tr></thead>
      <tbody><% for (const { words, sampled, share, interval } of it.samples) { %><tr><th scope="row"><%= words %></th><td class="n"><%= sampled %></td><td class="n"><%= share %></td><td class="n"><%= interval %></td></tr><% } %></tbody>
    </table></div>
    <h2>Who is asked</h2>
    <div class="table" role="region" aria-label="Who is asked" tabindex="0"><table>
      <thead><tr><th scope="col">Who</th><th scope="col">How it does</th><th scope="col">Last answer</th></tr></thead>
      <tbody><% for (const { who, state, at } of it.upstreams) { %><tr><th scope="row"><%= who %></th><td><%= state %></td><td><%~ time(at) %></td></tr><% } %></tbody>
    </table></div>
    <h2>What waits</h2>
    <div class="table" role="region" aria-label="What waits" tabindex="0"><table>
      <thead><tr><th scope="col">Names</th><th scope="col" class="n">How many</th><th scope="col">The first since</th></tr></thead>
      <tbody><% for (const { words, waiting, oldest } of it.queues) { %><tr><th scope="row"><%= words %></th><td class="n"><%= waiting %></td><td><%~ time(oldest) %></td></tr><% } %></tbody>
    </table></div>
    <h2>How fast free names are taken</h2>
    <p>The chance that a free name is taken on a day, by its score and the days since it dropped. Names that are taken fast are asked about more often.</p>
    <img class="rates" src="/api/v1/status/rates.svg" width="960" height="674" alt="Six charts, one for each range of scores; the numbers are in the status as JSON" loading="lazy">
    <p><a href="/api/v1/status">All of it as JSON</a></p>
  </div>
</main>`);

const QUEUES: Readonly<Record<keyof Status['queues'], string>> = {
  purge: 'whose purge has passed',
  confirmation: 'purged, to be confirmed',
  retry: 'to be asked about once more',
  recheck: 'on offer, due to be asked again',
  unconfirmed: 'that nobody ever vouched for',
  archive: 'to be scored',
};

/** The status, for people. */
export function renderStatus(site: SiteView, status: Status, now: Date, signedIn: boolean): string {
  const at = (text: string | null): TimeView | null => (text === null ? null : timeView(new Date(text), now));
  const { truth, offers, confirmation, queues } = status;
  const body = eta.render(BODY, {
    asOf: at(status.as_of),
    verdict: verdictOf(status),
    truth: truthOf(truth),
    available: grouped(offers.available),
    stale: offers.stale === null ? 'not known' : grouped(offers.stale),
    confirmationDays: confirmation.days,
    confirmed: grouped(confirmation.confirmed),
    wait: confirmation.p50_seconds === null ? 'none yet' : secondsInWords(confirmation.p50_seconds),
    samples: samplesOf(truth),
    upstreams: upstreamsOf(status, at),
    queues: Object.entries(QUEUES).map(([name, words]) => {
      const { waiting, oldest } = queues[name as keyof typeof QUEUES];
      return { words, waiting: waiting === null ? 'not known' : grouped(waiting), oldest: at(oldest) };
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

function verdictOf({ registries, writes_stopped: stopped, lists }: Status): { words: string; tone: string } {
  if (stopped) return { words: 'Answers are not written', tone: 'gone' };
  if (registries.every(({ breaker, canary }) => breaker === 'open' || canary === 'failed'))
    return { words: 'The registry does not answer', tone: 'gone' };
  if (lists.some(({ last_outcome: outcome }) => outcome === 'alarm'))
    return { words: 'A drop list was refused', tone: 'wait' };
  return { words: 'Working', tone: 'free' };
}

function truthOf({ days, offers }: Status['truth']): string {
  const { sampled, taken, share } = offers;
  if (share === null)
    return 'No offer has been drawn and asked about yet, so nobody knows how many are wrong.';
  return `Of ${counted(sampled, 'offer')} drawn by lot in ${days} days and asked about at the registry, ${grouped(taken)} had been taken: ${percent(share)}.`;
}

type Sample = Status['truth']['offers'];

function samplesOf({ offers, by_band, by_rank }: Status['truth']): object[] {
  const row = (words: string, { sampled, share, low, high }: Sample) => ({
    words,
    sampled: grouped(sampled),
    share: share === null ? 'not known' : percent(share),
    interval: low === null || high === null ? 'not known' : `${percent(low)} to ${percent(high)}`,
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
  return [
    ...registries.map(({ source, breaker, canary, last_answered_at }) => ({
      who: sayerInWords(source),
      state:
        canary === 'failed' ? 'not believed' : breaker === 'open' ? 'not asked, after failures' : 'answers',
      at: at(last_answered_at),
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
          ? 'not asked here'
          : archive.resting_until === null
            ? 'answers'
            : 'left alone for a while',
      at: at(archive.last_answered_at),
    },
  ];
}

function secondsInWords(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
