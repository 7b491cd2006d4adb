import type { Status } from '../../api/status/status.dto.js';
import { BAD_MINUTE_ONE_IN } from '../../observe/objectives.js';
import type { ServiceDays } from './service-days.js';
import { fillIn, t } from '../../texts/texts.js';
import { registryStateOf, sourceInWords, type TimeView } from '../layout/words.js';

export interface ServiceRow {
  readonly who: string;
  readonly what: string;
  readonly state: string;
  readonly tone: string;
}

/** What visitors and programs rely on, each as it is measured. */
export function serviceRows(
  { status, service }: { readonly status: Status; readonly service: ServiceDays },
  at: (text: string | null) => TimeView | null,
): ServiceRow[] {
  const { registries, archive, service_levels: levels } = status;
  const p50 = (indicator: string) =>
    levels.objectives.find((one) => one.indicator === indicator)?.p50 ?? null;
  const median = p50('latency.search');
  const sent = p50('delay.webhook');
  const said = (time: string | null) => {
    const view = at(time);
    return view ? fillIn(t.status.lastAnswer, { when: view.words }) : t.status.noAnswer;
  };
  const tests = ({ canary }: Status['registries'][number]) =>
    canary === 'unknown' ? '' : `; ${t.status.canaries[canary]}`;
  const state = archiveStateOf(archive);
  const resting = at(archive.resting_until);
  return [
    {
      who: t.status.website,
      what: median === null ? t.status.noMedian : fillIn(t.status.median, { ms: median }),
      ...doorsOf(service, ['pages']),
    },
    { who: t.status.api, what: paceOf(service, API_DOORS), ...doorsOf(service, API_DOORS) },
    ...registries.map((registry) => ({
      who: capital(sourceInWords(registry.source)),
      what: said(registry.last_answered_at) + tests(registry),
      ...upstreamOf(registryStateOf(registry)),
    })),
    ...listRow(status, at),
    {
      who: archive.source === 'sandbox' ? t.status.sandboxArchive : t.status.archive,
      what:
        state === 'off'
          ? ''
          : resting
            ? fillIn(t.status.resting, { when: resting.words })
            : said(archive.last_answered_at),
      ...upstreamOf(state),
    },
    {
      who: t.status.webhooks,
      what:
        sent === null
          ? t.status.noneSent
          : fillIn(t.status.sentWithin, { time: secondsInWords(Math.max(1, sent)) }),
      ...upstreamOf(sent === null ? 'idle' : 'working'),
    },
  ];
}

const API_DOORS = ['v1', 'api_v1', 'mcp'];

const upstreamOf = (state: keyof typeof t.status.upstream): Pick<ServiceRow, 'state' | 'tone'> => ({
  state: t.status.upstream[state],
  tone: toneOf(state),
});

function recentOf(
  { recent }: ServiceDays,
  doors: readonly string[],
): { requests: number; failures: number; minutes: number } {
  const found = doors.flatMap((door) => recent.get(door) ?? []);
  const sum = (of: 'requests' | 'failures') => found.reduce((total, one) => total + one[of], 0);
  return {
    requests: sum('requests'),
    failures: sum('failures'),
    minutes: Math.max(0, ...found.map(({ minutes }) => minutes)),
  };
}

/** As a minute counts as bad: by one in twenty. */
function doorsOf(service: ServiceDays, doors: readonly string[]): Pick<ServiceRow, 'state' | 'tone'> {
  const { requests, failures } = recentOf(service, doors);
  if (requests === 0) return upstreamOf('unmeasured');
  return upstreamOf(failures * BAD_MINUTE_ONE_IN > requests ? 'disturbed' : 'working');
}

function paceOf(service: ServiceDays, doors: readonly string[]): string {
  const { requests, minutes } = recentOf(service, doors);
  if (requests === 0) return t.status.noRequests;
  return fillIn(t.status.pace, { count: Math.max(1, Math.round(requests / Math.max(1, minutes))) });
}

/** All lists in one row: as the worst of them. */
function listRow({ lists }: Status, at: (text: string | null) => TimeView | null): ServiceRow[] {
  if (lists.length === 0) return [];
  const states = lists.map(({ last_outcome: outcome }) => outcome ?? ('never' as const));
  const worst = LIST_STATES.find((one) => states.includes(one)) ?? 'never';
  const what = lists.map(({ kind, last_imported_at: time }) => {
    const when = at(time);
    return fillIn(t.status.listAt, {
      kind: t.status.listKinds[kind],
      when: when ? when.words : t.status.notIn,
    });
  });
  return [{ who: t.status.lists, what: what.join(', '), ...upstreamOf(worst) }];
}

/** The worst first. */
const LIST_STATES = ['alarm', 'failed', 'never', 'imported', 'unchanged'] as const;

const GOOD = ['answered', 'imported', 'unchanged', 'working'];
const SLOW = ['resting', 'disturbed'];
const BAD = ['failing', 'paused', 'alarm', 'failed'];

function toneOf(state: string): string {
  if (GOOD.includes(state)) return 'free';
  if (SLOW.includes(state)) return 'wait';
  return BAD.includes(state) ? 'gone' : 'unk';
}

function archiveStateOf(archive: Status['archive']): 'off' | 'resting' | 'silent' | 'answered' {
  if (archive.source === null) return 'off';
  if (archive.resting_until !== null) return 'resting';
  return archive.last_answered_at === null ? 'silent' : 'answered';
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export function secondsInWords(seconds: number): string {
  if (seconds < 90) return fillIn(t.status.seconds, { count: Math.round(seconds) });
  return seconds < 5_400
    ? fillIn(t.times.minutes, { count: Math.round(seconds / 60) })
    : fillIn(t.times.hours, { count: Math.round(seconds / 3_600) });
}
