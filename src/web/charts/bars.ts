import { type ScaleBand, scaleBand, scaleLinear, scaleLog } from 'd3-scale';

/** What is compared, in the order in which it is drawn. */
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

/** Captures by year, small; the words tell the same. */
export function drawSpark(bars: readonly Bar[]): string {
  const first = bars[0]?.label;
  const last = bars.at(-1)?.label;
  const most = bars.reduce((best, bar) => (bar.value > best.value ? bar : best), { label: '', value: 0 });
  if (first === undefined || last === undefined) return '';
  const words = `Days with captures by year, ${first} to ${last}; most in ${most.label}: ${most.value}`;
  return `<svg class="spark" viewBox="0 0 ${SPARK.width} ${SPARK.height}" preserveAspectRatio="none" role="img" aria-label="${words}"><path d="${pathOf(bars, SPARK, 0.25)}"/></svg>`;
}

/** The same large, with the labels that there is room for. A table beside it has the numbers. */
export function drawBars(bars: readonly Bar[], words: string): string {
  if (bars.length === 0) return '';
  const x = bandsOf(bars, CHART, 0.2);
  const step = Math.ceil(bars.length / MAX_LABELS);
  const labels = bars
    .filter((_, place) => place % step === 0)
    .map(
      ({ label }, place) =>
        `<text${place % 2 === 1 ? ' class="odd"' : ''} x="${at((x(label) ?? 0) + x.bandwidth() / 2)}" y="${CHART.height + LABEL_HEIGHT - 5}">${label}</text>`,
    );
  return `<svg class="chart" viewBox="${-SIDE} 0 ${CHART.width + 2 * SIDE} ${CHART.height + LABEL_HEIGHT}" role="img" aria-label="${words}"><path d="${pathOf(bars, CHART, 0.2)}"/>${labels.join('')}</svg>`;
}

/** Scores differ by powers of ten; so does the length of this bar. */
export function drawScore(score: number): string {
  const { width, height } = { width: 100, height: 8 };
  const x = scaleLog([1, 10_000], [0, width]).clamp(true);
  return `<svg class="bar" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true"><rect width="${at(x(Math.max(1, score)))}" height="${height}"/></svg>`;
}

/** A year for each from the first to the last, also for those without a capture. */
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

const at = (pixels: number) => Number(pixels.toFixed(1));
