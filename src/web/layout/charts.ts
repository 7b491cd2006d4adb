import { type ScaleBand, scaleBand, scaleLinear, scaleLog } from 'd3-scale';
import { type SeriesPoint, stack } from 'd3-shape';

/** One bar of a comparison; bars are drawn in their given order. */
export interface Bar {
  readonly label: string;
  readonly value: number;
}

interface Frame {
  readonly width: number;
  readonly height: number;
}

const SPARK: Frame = { width: 100, height: 24 };
const CHART: Frame = { width: 640, height: 120 };
const LABEL_HEIGHT = 26;
/** For the labels of the first bar and the last, which are wider than it. */
const SIDE = 12;
/** As many as can be read side by side. */
const MAX_LABELS = 12;

/** Captures by year, small, with the same in words. */
export function drawSpark(bars: readonly Bar[]): string {
  const first = bars[0]?.label;
  const last = bars.at(-1)?.label;
  const most = bars.reduce((best, bar) => (bar.value > best.value ? bar : best), { label: '', value: 0 });
  if (first === undefined || last === undefined) return '';
  const words = `Days with captures by year, ${first} to ${last}; most in ${most.label}: ${most.value}`;
  const box = `viewBox="0 0 ${SPARK.width} ${SPARK.height}" preserveAspectRatio="none"`;
  return `<svg class="spark" ${box} role="img" aria-label="${words}"><path d="${pathOf(bars, SPARK, 0.25)}"/></svg>`;
}

/** The same large, with as many labels as fit. The page has the numbers in a table. */
export function drawBars(bars: readonly Bar[], words: string): string {
  if (bars.length === 0) return '';
  const x = bandsOf(bars, CHART, 0.2);
  const step = Math.ceil(bars.length / MAX_LABELS);
  const labels = bars
    .filter((_, place) => place % step === 0)
    .map(({ label }, place) => labelAt(x, label, CHART.height, place % 2 === 1 ? ' class="odd"' : ''));
  return chartOf(CHART, SIDE, words, `<path d="${pathOf(bars, CHART, 0.2)}"/>${labels.join('')}`);
}

/** A bar on a logarithmic scale: scores differ by powers of ten. */
export function drawScore(score: number): string {
  const { width, height } = { width: 100, height: 8 };
  const x = scaleLog([1, 10_000], [0, width]).clamp(true);
  const box = `viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"`;
  const bar = `<rect width="${at(x(Math.max(1, score)))}" height="${height}"/>`;
  return `<svg class="bar" ${box} aria-hidden="true">${bar}</svg>`;
}

/** One bar a year from the first to the last, years without a capture included. */
export function barsOfYears(daysByYear: Readonly<Record<string, number>>): Bar[] {
  const years = Object.keys(daysByYear).map(Number);
  if (years.length === 0) return [];
  const first = Math.min(...years);
  return Array.from({ length: Math.max(...years) - first + 1 }, (_, place) => {
    const label = String(first + place);
    return { label, value: daysByYear[label] ?? 0 };
  });
}

// All bars in one path: a rectangle each would be four times as long.
function pathOf(bars: readonly Bar[], frame: Frame, padding: number): string {
  const x = bandsOf(bars, frame, padding);
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const heightOf = scaleLinear([0, most], [1, frame.height]);
  const width = at(x.bandwidth());
  return bars
    .map(({ label, value }) => {
      const height = at(value === 0 ? 0 : heightOf(value));
      return `M${at(x(label) ?? 0)} ${frame.height}v${-height}h${width}v${height}z`;
    })
    .join('');
}

function bandsOf(bars: readonly Bar[], { width }: Frame, padding: number): ScaleBand<string> {
  return scaleBand(
    bars.map(({ label }) => label),
    [0, width],
  ).padding(padding);
}

/** One bar, in parts. */
export interface StackedBar {
  readonly label: string;
  /** By the name of the part; a missing part counts as 0. */
  readonly parts: Readonly<Record<string, number>>;
}

const STACKS: Frame = { width: 640, height: 160 };
const STACK_SIDE = 22;
const MAX_STACK_LABELS = 6;
/** Shades in site.css. */
export const MAX_PARTS = 5;

/**
 * Bars of several parts, from the bottom up. The page has a legend, and the numbers in a table.
 *
 * @param parts their names, in the order of their shades; at most {@link MAX_PARTS}
 */
export function drawStacks(bars: readonly StackedBar[], parts: readonly string[], words: string): string {
  const x = scaleBand(
    bars.map(({ label }) => label),
    [0, STACKS.width],
  ).padding(0.2);
  const layers = stack<StackedBar>()
    .keys([...parts])
    .value((bar, part) => bar.parts[part] ?? 0)([...bars]);
  const most = Math.max(1, ...layers.flatMap((layer) => layer.map(([, top]) => top)));
  const y = scaleLinear([0, most], [STACKS.height, 0]);
  const width = at(x.bandwidth());
  const pathOf = (points: readonly SeriesPoint<StackedBar>[]) =>
    points
      .filter(([bottom, top]) => top > bottom)
      .map((point) => {
        const [bottom, top] = point;
        const height = at(Math.max(1, y(bottom) - y(top)));
        return `M${at(x(point.data.label) ?? 0)} ${at(y(bottom))}v${-height}h${width}v${height}z`;
      })
      .join('');
  const paths = layers.map((layer, place) => `<path class="part-${place}" d="${pathOf(layer)}"/>`).join('');
  const step = Math.ceil(bars.length / MAX_STACK_LABELS);
  const labels = bars
    .filter((_, place) => place % step === 0)
    .map(({ label }) => labelAt(x, label, STACKS.height))
    .join('');
  const top = `<text x="${-STACK_SIDE}" y="11" class="most">${most.toLocaleString('en-AU')}</text>`;
  const base = `<path class="base" d="M0 ${STACKS.height}h${STACKS.width}v1h${-STACKS.width}z"/>`;
  return chartOf(STACKS, STACK_SIDE, words, paths + labels + top + base);
}

function chartOf({ width, height }: Frame, side: number, words: string, content: string): string {
  const box = `viewBox="${-side} 0 ${width + 2 * side} ${height + LABEL_HEIGHT}"`;
  return `<svg class="chart" ${box} role="img" aria-label="${words}">${content}</svg>`;
}

function labelAt(x: ScaleBand<string>, label: string, height: number, attributes = ''): string {
  const middle = at((x(label) ?? 0) + x.bandwidth() / 2);
  return `<text${attributes} x="${middle}" y="${height + LABEL_HEIGHT - 5}">${label}</text>`;
}

const at = (pixels: number) => Number(pixels.toFixed(1));
