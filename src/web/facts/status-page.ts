import type { Status } from '../../api/status/status.dto.js';
import { MAX_COUNTED } from '../../domains/lifecycle/question-queue.repository.js';
import { renderLayout, type SiteView } from '../layout/layout.js';
import { template } from '../layout/templates.js';
import {
  counted,
  grouped,
  percent,
  registryInWords,
  scoresInWords,
  sourceInWords,
  timeView,
  type TimeView,
} from '../layout/words.js';

const statusPage = template('status');

const QUEUES: Readonly<Record<keyof Status['queues'], string>> = {
  purge: 'past their drop time',
  confirmation: 'purged, to be confirmed',
  retry: 'to be checked again',
  recheck: 'listed, due for a check',
  unconfirmed: 'never checked',
  archive: 'to be scored',
};

export function renderStatus(site: SiteView, status: Status, now: Date, signedIn: boolean): string {
  const at = (text: string | null): TimeView | null => (text === null ? null : timeView(new Date(text), now));
  const { truth, offers, confirmation, queues } = status;
  const body = statusPage({
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
      const queue = queues[name as keyof typeof QUEUES];
      return { words, waiting: waitingOf(queue), oldest: at(queue.oldest) };
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
  const states = registries.map(registryInWords);
  if (states.every((state) => state === 'failing its self-test' || state === 'paused after failures'))
    return { words: 'The registry does not answer', tone: 'gone' };
  if (lists.some(({ last_outcome: outcome }) => outcome === 'alarm'))
    return { words: 'A drop list was refused', tone: 'wait' };
  if (!states.includes('answered')) return { words: 'The registry has not answered yet', tone: 'wait' };
  return { words: 'Working', tone: 'free' };
}

/** A queue with more names than are counted has an oldest name; without one its length is not known. */
function waitingOf({ waiting, oldest }: Status['queues']['purge']): string {
  if (waiting !== null) return grouped(waiting);
  return oldest === null ? 'not known' : `more than ${grouped(MAX_COUNTED)}`;
}

function truthOf({ days, offers }: Status['truth']): string {
  const { sampled, taken, share } = offers;
  if (share === null) return 'No sample has been checked yet.';
  const drawn = `Of ${counted(sampled, 'offer')} picked at random in ${days} days and checked with the registry`;
  return `${drawn}, ${grouped(taken)} had been taken: ${percent(share)}.`;
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
}

function secondsInWords(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
