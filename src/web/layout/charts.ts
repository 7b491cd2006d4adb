import { scaleBand, scaleLinear } from 'd3-scale';
import { type SeriesPoint, stack } from 'd3-shape';
import { fillIn, t } from '../../texts/texts.js';

/** One bar of a comparison; bars are drawn in their given order. */
export interface Bar {
  readonly label: string;
  readonly value: number;
}

/** The height of every chart in its own units: the page stretches it. */
const HEIGHT = 40;
const MAX_TICKS = 6;
/** Share of a bar's step that stays empty. */
const GAP = 0.22;

/** Steps of the score: each is ten times the one before it. */
const STEPS = 5;
const STEP = { width: 6, every: 8, lowest: 6, rise: 3 } as const;
/** A score at the beginning of its step is still seen. */
const MIN_FILLED = 0.3;

/** 0 to 5. */
export function stepOf(score: number): number {
  return score < 1 ? 0 : Math.min(STEPS, 1 + Math.floor(Math.log10(score)));
}

const TOP = STEP.lowest + STEP.rise * (STEPS - 1);
const heightAt = (place: number) => STEP.lowest + STEP.rise * place;
const stepBar = (place: number, height: number) =>
  `M${place * STEP.every} ${TOP}v-${height}h${STEP.width}v${height}z`;
const WHOLE_BARS = Array.from({ length: STEPS }, (_, place) => stepBar(place, heightAt(place)));
const STEPS_BOX = `<svg class="steps" viewBox="0 0 ${STEP.every * STEPS - 2} ${TOP}" aria-hidden="true">`;
const TRACK = `${STEPS_BOX}<path class="t" d="${WHOLE_BARS.join('')}"/>`;

/** Five rising bars, one a power of ten; the last is filled as far as the score has come within it. */
export function drawSteps(score: number): string {
  const step = stepOf(score);
  const isPart = step > 0 && step < STEPS;
  const whole = WHOLE_BARS.slice(0, isPart ? step - 1 : step).join('');
  const within = isPart ? Math.max(MIN_FILLED, Math.log10(score) % 1) : 0;
  const part = isPart ? stepBar(step - 1, at(heightAt(step - 1) * within)) : '';
  return `${TRACK}<path class="f" d="${whole}${part}"/></svg>`;
}

const FIRST_YEAR = 2000;
const SPARK = { step: 4, width: 3, height: 22, highest: 20, lowest: 3, empty: 2 } as const;

/** Captures by year, on one axis for all rows: where the bars stand says when the site lived. */
export function drawSpark(daysByYear: Readonly<Record<string, number>>, thisYear: number): string {
  const years = yearsOf(daysByYear);
  if (!years) return '';
  const most = Math.max(1, ...Object.values(daysByYear));
  // Each bar begins where the one before it did, which pages of many rows are smaller for.
  const paths = { t: '', f: '' };
  const ends = { t: 0, f: 0 };
  for (let year = FIRST_YEAR; year <= thisYear; year += 1) {
    const days = daysByYear[year] ?? 0;
    const x = (year - FIRST_YEAR) * SPARK.step;
    const height =
      days === 0 ? SPARK.empty : Math.max(SPARK.lowest, Math.round((SPARK.highest * days) / most));
    const kind = days === 0 ? 't' : 'f';
    const start = paths[kind] === '' ? `M${x} ${SPARK.height}` : `m${x - ends[kind]} 0`;
    paths[kind] += `${start}v-${height}h${SPARK.width}V${SPARK.height}z`;
    ends[kind] = x;
  }
  const width = (thisYear - FIRST_YEAR + 1) * SPARK.step - 1;
  const words = fillIn(t.names.sparkLabel, { from: String(years.from), to: String(years.to) });
  const bars = `<path class="t" d="${paths.t}"/><path class="f" d="${paths.f}"/>`;
  const box = `viewBox="0 0 ${width} ${SPARK.height}"`;
  return `<svg class="spark" ${box} role="img" aria-label="${words}">${bars}</svg>`;
}

/** The first year with a capture and the last; null without any. */
export function yearsOf(daysByYear: Readonly<Record<string, number>>): { from: number; to: number } | null {
  const years = Object.keys(daysByYear).map(Number);
  return years.length === 0 ? null : { from: Math.min(...years), to: Math.max(...years) };
}

/** One bar a year from the first to the last, years without a capture included. */
export function barsOfYears(daysByYear: Readonly<Record<string, number>>): Bar[] {
  const years = yearsOf(daysByYear);
  if (!years) return [];
  return Array.from({ length: years.to - years.from + 1 }, (_, place) => {
    const label = String(years.from + place);
    return { label, value: daysByYear[label] ?? 0 };
  });
}

/** Bars with labels below them. The page has the numbers in a table. @param isOn whether a bar is the chosen one */
export function drawBars(
  bars: readonly Bar[],
  words: string,
  isOn: (bar: Bar) => boolean = () => true,
): string {
  if (bars.length === 0) return '';
  const x = bandsOf(bars);
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const heightOf = scaleLinear([0, most], [1, HEIGHT]);
  const width = at(x.bandwidth());
  const path = (shown: readonly Bar[]) =>
    shown
      .filter(({ value }) => value > 0)
      .map(
        ({ label, value }) =>
          `M${at(x(label) ?? 0)} ${HEIGHT}v-${at(heightOf(value))}h${width}v${at(heightOf(value))}z`,
      )
      .join('');
  const rest = path(bars.filter((bar) => !isOn(bar)));
  const paths = `<path class="d" d="${rest}"/><path class="f" d="${path(bars.filter(isOn))}"/>`;
  return figureOf(bars, words, paths);
}

/** One bar, in parts. */
export interface StackedBar {
  readonly label: string;
  /** By the name of the part; a missing part counts as 0. */
  readonly parts: Readonly<Record<string, number>>;
}

/** Shades in the styles. */
export const MAX_PARTS = 5;

/**
 * Bars of several parts, from the bottom up. The page has a legend, and the numbers in a table.
 *
 * @param parts their names, in the order of their shades; at most {@link MAX_PARTS}
 */
export function drawStacks(bars: readonly StackedBar[], parts: readonly string[], words: string): string {
  const x = bandsOf(bars);
  const layers = stack<StackedBar>()
    .keys([...parts])
    .value((bar, part) => bar.parts[part] ?? 0)([...bars]);
  const most = Math.max(1, ...layers.flatMap((layer) => layer.map(([, top]) => top)));
  const y = scaleLinear([0, most], [HEIGHT, 0]);
  const width = at(x.bandwidth());
  const pathOf = (points: readonly SeriesPoint<StackedBar>[]) =>
    points
      .filter(([bottom, top]) => top > bottom)
      .map((point) => {
        const [bottom, top] = point;
        const height = at(Math.max(0.5, y(bottom) - y(top)));
        return `M${at(x(point.data.label) ?? 0)} ${at(y(bottom))}v${-height}h${width}v${height}z`;
      })
      .join('');
  const paths = layers.map((layer, place) => `<path class="part-${place}" d="${pathOf(layer)}"/>`);
  return figureOf(bars, words, paths.join(''));
}

const CHART_WIDTH = 300;

function bandsOf(bars: readonly { readonly label: string }[]): ReturnType<typeof scaleBand<string>> {
  const labels = bars.map(({ label }) => label);
  return scaleBand(labels, [0, CHART_WIDTH]).padding(GAP);
}

/** The picture stretches to any width; the labels are text of the page, and stay as large as its text. */
function figureOf(bars: readonly { readonly label: string }[], words: string, paths: string): string {
  const box = `viewBox="0 0 ${CHART_WIDTH} ${HEIGHT}" preserveAspectRatio="none"`;
  const step = Math.max(1, Math.ceil((bars.length - 1) / (MAX_TICKS - 1)));
  const ticks = bars.filter((_, place) => place % step === 0 || place === bars.length - 1);
  const labels = ticks.map(({ label }) => `<span>${label}</span>`).join('');
  const svg = `<svg ${box} aria-hidden="true">${paths}</svg>`;
  const scale = `<div class="ticks" aria-hidden="true">${labels}</div>`;
  return `<figure class="chart" role="img" aria-label="${words}">${svg}${scale}</figure>`;
}

const at = (units: number) => Number(units.toFixed(1));
