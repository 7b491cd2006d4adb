import {
  type BulkCheckItem,
  type BulkCheckResult,
  type Checked,
  MAX_NAMES,
} from '../../api/check/check.dto.js';
import { LEFT_OUT } from '../../api/check/name-list.js';
import type { Rate } from '../../access/rate.dto.js';
import { renderLayout, type SiteView } from '../layout/layout.js';
import { template } from '../layout/templates.js';
import { counted, fillIn, grouped, t } from '../../texts/texts.js';
import { messageInWords, sourceInWords, timeView } from '../layout/words.js';
import { drawSpark, drawSteps, stepOf } from '../layout/charts.js';
import { namePartsOf, type NameRow, type RowContext, rowHeads, yearsInWords } from '../names/name-row.js';
import { BADGES } from '../names/status-badge.js';
import { BADGE_OF_STATE } from '../../domains/schema/states.js';
import { namesMeantBy } from '../../domains/name/domain-name.js';
import { MAX_SHORTLIST } from '../../accounts/shortlist.repository.js';

export interface CheckProblem {
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
}

interface FormView {
  /** The pasted text. */
  readonly text: string;
  readonly problem: CheckProblem | null;
  readonly rate: Pick<Rate, 'remaining' | 'reset_in'>;
  readonly signedIn: boolean;
}

interface AnswersView {
  readonly token: string;
  readonly show: Shown;
  readonly result: BulkCheckResult;
  /** In the archive, by year. */
  readonly years: RowContext['years'];
  readonly now: Date;
  readonly signedIn: boolean;
}

/** The tabs over the answers. */
export const SHOWN = ['all', 'available', 'registered', 'others'] as const;
export type Shown = (typeof SHOWN)[number];

const form = template('check-form');
const blank = template('check');
const list = template('names-list');
const answers = template('check-answers');

export function renderCheckForm(site: SiteView, { text, problem, rate, signedIn }: FormView): string {
  const noLines = { wrong: [], lines: '', others: '', isQuiet: false };
  const formView = { text, problem, ...noLines, max: MAX_NAMES, signedIn, site };
  const left = counted(rate.remaining, 'check');
  const cost = fillIn(t.check.cost, { left, seconds: rate.reset_in });
  return renderLayout(site, {
    title: t.check.title,
    description: fillIn(t.check.description, { most: MAX_NAMES }),
    canonical: problem ? undefined : '/check',
    section: '/check',
    signedIn,
    body: blank({ form: form({ ...formView, button: t.check.checkNames, cost }) }),
  });
}

export function renderAnswers(site: SiteView, view: AnswersView): string {
  const { token, show, result, years, now, signedIn } = view;
  const { results, pending, retry_after: seconds, rate } = result;
  const leftOut = domainsOf(results.filter(({ error }) => error?.code === LEFT_OUT.code));
  const wrong = wrongLinesIn(results);
  const names = results.filter((item) => !isWrong(item));
  const free = domainsOf(names.filter((item) => item.result?.available));
  const found = fillIn(t.check.found, { free: free.length, names: counted(names.length, 'name') });
  const inTab = (tab: Shown) => names.filter((item) => tab === 'all' || groupOf(item) === tab);
  const left = counted(rate.remaining, 'check');
  const formView = {
    ...{ text: domainsOf(results).join('\n'), problem: null, wrong, max: MAX_NAMES, signedIn, site },
    lines: fillIn(t.check.linesWrong, { wrong: wrong.length, lines: results.length }),
    others: names.length > 0 ? counted(names.length, 'rightLine') : '',
    isQuiet: pending > 0 || leftOut.length > 0,
    button: fillIn(t.check.checkSome, { names: counted(names.length, 'name') }),
    cost:
      rate.remaining < names.length
        ? fillIn(t.check.cost, { left, seconds: rate.reset_in })
        : fillIn(t.check.costOf, { names: names.length, left }),
  };
  const body = answers({
    ...{ token, title: found, pending, seconds, leftOut, site, signedIn, left, resetIn: rate.reset_in },
    form: form(formView),
    ...{ done: result.answered, count: names.length },
    figures: figuresOf(names),
    tabs: SHOWN.map((tab) => ({
      words: t.check.tabs[tab],
      count: grouped(inTab(tab).length),
      href: tab === 'all' ? `/check/${token}` : `/check/${token}?show=${tab}`,
      isOn: tab === show,
    })),
    heads: rowHeads(now.getUTCFullYear()),
    rows: inTab(show).map((item) => rowOf(item, now, years)),
    ...{ free: free.slice(0, MAX_SHORTLIST), watched: domainsOf(names.filter(mayBeWatched)) },
  });
  return renderLayout(site, { title: found, section: '/check', signedIn, body, scripted: true });
}

const domainsOf = (items: readonly BulkCheckItem[]): string[] => items.map(({ domain }) => domain);

const mayBeWatched = ({ result }: BulkCheckItem): boolean => result?.registry.state !== 'reserved';

/** Of these, no registry was asked: the text is no name. */
function isWrong({ result, status, error }: BulkCheckItem): boolean {
  return !result && status !== 'pending' && !WITHOUT_ANSWER.includes(error?.code ?? '');
}

const WITHOUT_ANSWER = [LEFT_OUT.code, 'registry_unavailable'];

/** Lines of the text in the form that are no names, with the names that may be meant. */
function wrongLinesIn(results: readonly BulkCheckItem[]): object[] {
  return results.flatMap((item, place) => {
    if (!isWrong(item)) return [];
    const { domain: text, error } = item;
    const fault = /\s/.test(text)
      ? 'space'
      : error?.code === 'domain_suffix_unsupported'
        ? 'suffix'
        : 'shape';
    return [
      {
        ...{ line: place + 1, text, meant: namesMeantBy(text) },
        fault: fillIn(t.check.faults[fault], { line: place + 1 }),
        words: messageInWords(error?.message ?? ''),
      },
    ];
  });
}

function groupOf({ result }: BulkCheckItem): Exclude<Shown, 'all'> {
  if (result?.available) return 'available';
  return result && BADGES[BADGE_OF_STATE[result.registry.state]].tone === 'gone' ? 'registered' : 'others';
}

/** What the chips of the rows come to, in the order of the rows. */
function figuresOf(names: readonly BulkCheckItem[]): { words: string; value: string }[] {
  const chips = names.map((item) => chipOf(item).words);
  return [...new Set(chips)].map((words) => ({
    words,
    value: grouped(chips.filter((one) => one === words).length),
  }));
}

/** A row of a list, as the check of its name has found it. */
export function renderCheckedRow(result: Checked, now: Date): string {
  const row = rowOf({ domain: result.domain, status: 'answered', result }, now, new Map());
  return list({ rows: [row], heads: [], caption: t.check.inOrder });
}

/** Short names, for rows. */
const SOURCES: Readonly<Record<string, string>> = t.check.sources;

const PENDING = { words: t.check.chipWaiting, tone: 'unk' };
const NO_RECORDS = { words: t.check.chipLeftOut, tone: 'unk' };
const NO_ANSWER = { words: t.check.chipNoAnswer, tone: 'unk' };
const NO_NAME = { words: t.check.chipNoName, tone: 'unk' };

function chipOf({ status, result, error }: BulkCheckItem): NameRow['chip'] {
  if (status === 'pending') return PENDING;
  if (error?.code === LEFT_OUT.code) return NO_RECORDS;
  if (error?.code === 'registry_unavailable') return NO_ANSWER;
  return result ? BADGES[BADGE_OF_STATE[result.registry.state]] : NO_NAME;
}

function rowOf(item: BulkCheckItem, now: Date, years: RowContext['years']): NameRow {
  const { domain, result, error } = item;
  const dot = domain.indexOf('.');
  const row = {
    ...{ domain, name: namePartsOf(domain.slice(0, dot), domain.slice(dot + 1)), dropped: null },
    ...{ meta: counted(dot, 'character'), chip: chipOf(item) },
    ...{ score: '', step: 0, steps: '', spark: '', years: '', said: null, saidBy: '', remark: '' },
    ...{ registerUrl: null, act: 'view' as const },
  };
  if (!result) return error?.code === 'registry_unavailable' ? { ...row, remark: error.message } : row;
  const { registry, wayback, known } = result;
  const saidBy = sourceInWords(registry.source);
  const said = timeView(new Date(registry.checked_at), now);
  const days = years.get(domain) ?? {};
  return {
    ...row,
    said: {
      ...said,
      words: fillIn(t.check.saidBy, { source: SOURCES[registry.source] ?? saidBy, when: said.words }),
    },
    saidBy,
    remark: [registry.message ?? '', cautionOf(result)].filter((text) => text).join('. '),
    ...(known && {
      ...{ score: grouped(wayback), step: stepOf(wayback), steps: drawSteps(wayback) },
      ...{ spark: drawSpark(days, now.getUTCFullYear()), years: yearsInWords(days, wayback) },
    }),
    registerUrl: result.register_url,
  };
}

function cautionOf({ available, registry, reason, name_rule: rule }: Checked): string {
  if (!rule) return '';
  if (available) return fillIn(t.check.notForAll, { reason: reason ?? '' });
  return registry.state === 'reserved'
    ? fillIn(t.check.ruledOut, { what: rule.what, reason: reason ?? '' })
    : '';
}
