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
import { drawSteps, stepOf } from '../layout/charts.js';
import { namePartsOf, type NameRow } from '../names/name-row.js';
import { BADGES } from '../names/status-badge.js';
import { BADGE_OF_STATE } from '../../domains/schema/states.js';

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
  readonly result: BulkCheckResult;
  readonly now: Date;
  readonly signedIn: boolean;
}

const form = template('check-form');
const list = template('names-list');
const answers = template('check-answers');

export function renderCheckForm(site: SiteView, view: FormView): string {
  const body = form({
    ...view,
    site,
    max: MAX_NAMES,
    left: counted(view.rate.remaining, 'record'),
  });
  return renderLayout(site, {
    title: t.check.title,
    description: fillIn(t.check.description, { most: MAX_NAMES }),
    canonical: view.problem ? undefined : '/check',
    section: '/check',
    signedIn: view.signedIn,
    body,
  });
}

export function renderAnswers(site: SiteView, { token, result, now, signedIn }: AnswersView): string {
  const { results, pending, retry_after: seconds } = result;
  const leftOut = results.filter(({ error }) => error?.code === LEFT_OUT.code).map(({ domain }) => domain);
  const free = results.filter((item) => item.result?.available).length;
  const title = fillIn(t.check.found, { free, names: counted(results.length, 'name') });
  const body = answers({
    ...{ token, title, pending, seconds, leftOut, site, signedIn },
    figures: figuresOf(result, free, leftOut.length),
    rows: results.map((item) => rowOf(item, now)),
    left: counted(result.rate.remaining, 'record'),
    resetIn: result.rate.reset_in,
  });
  return renderLayout(site, { title, section: '/check', signedIn, body, scripted: true });
}

/** A row of a list, as the check of its name has found it. */
export function renderCheckedRow(result: Checked, now: Date): string {
  const row = rowOf({ domain: result.domain, status: 'answered', result }, now);
  return list({ rows: [row], heads: [], caption: t.check.inOrder });
}

function figuresOf(
  { answered, failed, pending }: BulkCheckResult,
  free: number,
  leftOut: number,
): { words: string; value: string }[] {
  return [
    { words: t.check.free, value: free },
    { words: t.check.notFree, value: answered - free },
    { words: t.check.waiting, value: pending },
    { words: t.check.leftOut, value: leftOut },
    { words: t.check.withoutAnswer, value: failed - leftOut },
  ]
    .filter(({ value }) => value > 0)
    .map(({ words, value }) => ({ words, value: grouped(value) }));
}

const PENDING = { words: t.check.chipWaiting, tone: 'wait' };
const NO_RECORDS = { words: t.check.chipLeftOut, tone: 'unk' };
const NO_ANSWER = { words: t.check.chipNoAnswer, tone: 'unk' };
const NO_NAME = { words: t.check.chipNoName, tone: 'unk' };

function rowOf({ domain, status, result, error }: BulkCheckItem, now: Date): NameRow {
  const dot = domain.indexOf('.');
  const row = {
    ...{ domain, name: namePartsOf(domain.slice(0, dot), domain.slice(dot + 1)), meta: '', dropped: null },
    ...{ score: '', step: 0, steps: '', spark: '', years: '', said: null, saidBy: '', remark: '' },
    registerUrl: null,
  };
  if (status === 'pending') return { ...row, chip: PENDING };
  if (error?.code === LEFT_OUT.code) return { ...row, chip: NO_RECORDS };
  if (error?.code === 'registry_unavailable') return { ...row, chip: NO_ANSWER, remark: error.message };
  if (!result) return { ...row, name: null, chip: NO_NAME, remark: messageInWords(error?.message ?? '') };
  const { registry, wayback, known } = result;
  const source = sourceInWords(registry.source);
  return {
    ...row,
    chip: BADGES[BADGE_OF_STATE[registry.state]],
    said: timeView(new Date(registry.checked_at), now),
    saidBy: source,
    remark: [source, registry.message ?? '', cautionOf(result)].filter((text) => text).join('. '),
    ...(known && { score: grouped(wayback), step: stepOf(wayback), steps: drawSteps(wayback) }),
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
