import { scaleBand, scaleLinear } from 'd3-scale';
import { stack, type SeriesPoint } from 'd3-shape';

/** One bar, in parts. */
export interface StackedBar {
  readonly label: string;
  /** By the name of the part; what is left out is nothing. */
  readonly parts: Readonly<Record<string, number>>;
}

const WIDTH = 640;
const HEIGHT = 160;
const LABEL_HEIGHT = 26;
/** For the labels of the first bar and the last, which are wider than it. */
const SIDE = 22;
const MAX_LABELS = 6;
/** As many shades as the style sheet has. */
export const MAX_PARTS = 5;

/**
 * Bars of several parts, from the bottom up. A legend and a table beside it have the names and the numbers.
 *
 * @param parts their names, in the order of their shades; at most {@link MAX_PARTS}
 */
export function drawStacks(bars: readonly StackedBar[], parts: readonly string[], words: string): string {
  const x = scaleBand(
    bars.map(({ label }) => label),
    [0, WIDTH],
  ).padding(0.2);
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
        const height = at(Math.max(1, y(bottom) - y(top)));
        return `M${at(x(point.data.label) ?? 0)} ${at(y(bottom))}v${-height}h${width}v${height}z`;
      })
      .join('');
  const paths = layers.map((layer, place) => `<path class="part-${place}" d="${pathOf(layer)}"/>`).join('');
  const step = Math.ceil(bars.length / MAX_LABELS);
  const labels = bars
    .filter((_, place) => place % step === 0)
    .map(
      ({ label }) =>
        `<text x="${at((x(label) ?? 0) + x.bandwidth() / 2)}" y="${HEIGHT + LABEL_HEIGHT - 5}">${label}</text>`,
    )
    .join('');
  return `<svg class="chart" viewBox="${-SIDE} 0 ${WIDTH + 2 * SIDE} ${HEIGHT + LABEL_HEIGHT}" role="img" aria-label="${words}">${paths}${labels}<text x="${-SIDE}" y="11" class="most">${most.toLocaleString('en-AU')}</text><path class="base" d="M0 ${HEIGHT}h${WIDTH}v1h${-WIDTH}z"/></svg>`;
}

const at = (pixels: number) => Number(pixels.toFixed(1));
