import { type ScaleLogarithmic, scaleLog } from 'd3-scale';
import { area, curveStepAfter, line } from 'd3-shape';
import { dayInPurgeZone, timeInPurgeZone } from '../../domains/schema/calendar-date.js';
import { SCORE_BANDS } from '../../domains/schema/filters/score-bands.js';
import { percent } from '../../texts/texts.js';
import type { TakenRateDto } from './status.dto.js';

const WIDTH = 960;
const HEIGHT = 674;
const COLUMNS = 3;
const MARGIN = { left: 82, right: 42, top: 144 } as const;
const PANEL = { width: 256, height: 190, columnGap: 34, rowGap: 86 } as const;

// Okabe and Ito's colours, which people with colour blindness tell apart.
const STYLE = `
    text { font: 13px system-ui, sans-serif; fill: #333 }
    .ground { fill: #fff }
    .title { font-size: 19px; font-weight: 600 }
    .heading { font-weight: 600 }
    .note { fill: #666; font-size: 12px }
    .grid { stroke: #ddd; fill: none }
    .interval { fill: #0072b2; fill-opacity: .2 }
    .believed { stroke: #0072b2; stroke-width: 2.5; fill: none }
    .prior { stroke: #777; stroke-width: 1.5; stroke-dasharray: 4 4; fill: none }
    .seen { fill: #d55e00 }
    .middle { text-anchor: middle }
    .end { text-anchor: end }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6e6e6 }
      .ground { fill: #15181c }
      .note { fill: #a8a8a8 }
      .grid { stroke: #363b42 }
      .interval { fill: #56b4e9; fill-opacity: .25 }
      .believed { stroke: #56b4e9 }
      .prior { stroke: #a8a8a8 }
      .seen { fill: #e69f00 }
    }`;

const TITLE = 'How fast free names are taken';
const DAY_TICKS = new Map([
  [0, '0'],
  [1, '1'],
  [7, '7'],
  [30, '30'],
  [91, '91'],
  [365, '1 y'],
  [1_095, '3 y'],
]);
const LEGEND = [
  { left: 0, sign: '<path class="believed" d="M0,0H26"/>', words: 'believed now' },
  { left: 160, sign: '<rect class="interval" y="-7" width="26" height="14"/>', words: 'its 95% interval' },
  { left: 340, sign: '<path class="prior" d="M0,0H26"/>', words: 'believed beforehand' },
  { left: 540, sign: '<circle class="seen" cx="13" r="3.5"/>', words: 'our answers alone' },
];
/** The open bucket of ages is drawn to twice its beginning. */
const OPEN_BUCKET_GROWTH = 2;

interface Scales {
  readonly x: ScaleLogarithmic<number, number>;
  readonly y: ScaleLogarithmic<number, number>;
}

/**
 * How fast names are taken, by age and score tier, as SVG: the prior, and the estimate with its interval. It
 * contains only our own numbers and words, so nothing needs escaping.
 *
 * @param cells as the status publishes them
 * @param asOf ISO 8601
 */
export function drawRates(cells: readonly TakenRateDto[], asOf: string): string {
  const bands = SCORE_BANDS.map(({ from }) => cells.filter(({ score_from: score }) => score === from));
  const scales = scalesFor(cells);
  const size = `viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}"`;
  const at = new Date(asOf);
  const told = `As of ${dayInPurgeZone(at)} ${timeInPurgeZone(at)} AEST.`;
  const note = `Chance a day, by days since the drop, in each band of archive scores. ${told}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-labelledby="title description">
  <title id="title">${TITLE}</title>
  <desc id="description">${bands.map(describeBand).join(' ')} ${told}</desc>
  <style>${STYLE}
  </style>
  <rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>
  <text class="title" x="${MARGIN.left}" y="34">${TITLE}</text>
  <text class="note" x="${MARGIN.left}" y="56">${note}</text>
${drawLegend()}
${bands.map((band, place) => drawPanel(band, place, scales)).join('\n')}
  <text class="note end" x="${WIDTH - MARGIN.right}" y="${HEIGHT - 16}">days since the drop</text>
</svg>
`;
}

function scalesFor(cells: readonly TakenRateDto[]): Scales {
  const rates = cells.flatMap((cell) => [cell.low_per_day, cell.high_per_day, cell.prior_per_day]);
  const lastAge = Math.max(...cells.map(endOf));
  return {
    // A logarithm of one more, for the first day begins at 0.
    x: scaleLog([1, 1 + lastAge], [0, PANEL.width]),
    y: scaleLog([Math.min(...rates), Math.max(...rates)], [PANEL.height, 0]).nice(),
  };
}

function drawLegend(): string {
  return LEGEND.map(
    ({ left, sign, words }) =>
      `  <g transform="translate(${MARGIN.left + left},84)">${sign}<text x="34" y="4">${words}</text></g>`,
  ).join('\n');
}

function drawPanel(band: readonly TakenRateDto[], place: number, { x, y }: Scales): string {
  const column = place % COLUMNS;
  const left = MARGIN.left + column * (PANEL.width + PANEL.columnGap);
  const top = MARGIN.top + Math.floor(place / COLUMNS) * (PANEL.height + PANEL.rowGap);
  const rates = y.ticks().filter((rate) => Number.isInteger(Math.log10(rate)));
  const grid = rates.map((rate) => `<path class="grid" d="M0,${at(y(rate))}H${PANEL.width}"/>`);
  const rateTicks = rates.map(
    (rate) => `<text class="note end" x="-8" y="${at(y(rate) + 4)}">${percent(rate)}</text>`,
  );
  const dayTicks = [...DAY_TICKS].map(
    ([days, label]) =>
      `<text class="note middle" x="${at(x(1 + days))}" y="${PANEL.height + 18}">${label}</text>`,
  );
  const seen = band
    .filter(({ taken }) => taken > 0)
    .map((cell) => {
      const middle = (x(1 + cell.age_from_days) + x(1 + endOf(cell))) / 2;
      return `<circle class="seen" cx="${at(middle)}" cy="${at(clamped(y(cell.taken / cell.exposure_days)))}" r="3"/>`;
    });
  return `  <g transform="translate(${left},${top})">
    <text class="heading" y="-28">${nameOf(band)}</text>
    <text class="note" y="-11">${evidenceOf(band)}</text>
    ${[...grid, ...(column === 0 ? rateTicks : []), ...dayTicks].join('')}
    ${drawCurves(band, { x, y })}
    ${seen.join('')}
  </g>`;
}

function drawCurves(band: readonly TakenRateDto[], { x, y }: Scales): string {
  // One step more, to the end of the last bucket.
  const last = band.at(-1);
  const steps = [
    ...band.map((cell) => ({ ...cell, age: cell.age_from_days })),
    ...(last ? [{ ...last, age: endOf(last) }] : []),
  ];
  type Step = (typeof steps)[number];
  const ageOf = ({ age }: Step) => x(1 + age);
  const curve = (rateOf: (step: Step) => number) =>
    line<Step>(ageOf, (step) => y(rateOf(step)))
      .curve(curveStepAfter)
      .digits(1)(steps) ?? '';
  const interval =
    area<Step>(
      ageOf,
      (step) => y(step.low_per_day),
      (step) => y(step.high_per_day),
    )
      .curve(curveStepAfter)
      .digits(1)(steps) ?? '';
  return [
    `<path class="interval" d="${interval}"/>`,
    `<path class="prior" d="${curve((step) => step.prior_per_day)}"/>`,
    `<path class="believed" d="${curve((step) => step.rate_per_day)}"/>`,
  ].join('');
}

/** Answers alone may say anything, where they are few. */
function clamped(y: number): number {
  return Math.min(PANEL.height, Math.max(0, y));
}

function describeBand(band: readonly TakenRateDto[]): string {
  const onDay = (days: number) => {
    const cell = band.find((one) => days >= one.age_from_days && days < endOf(one));
    return cell
      ? `${percent(cell.rate_per_day)} (${percent(cell.low_per_day)} to ${percent(cell.high_per_day)})`
      : 'not known';
  };
  return (
    `${nameOf(band)}: ${onDay(0)} on the first day, ${onDay(30)} after 30 days, ${onDay(365)} ` +
    `after a year; ${evidenceOf(band)}.`
  );
}

function nameOf([cell]: readonly TakenRateDto[]): string {
  if (!cell) return '';
  const { score_from: from, score_to: to } = cell;
  if (to === null) return `Score ${grouped(from)} or more`;
  return from === to ? `Score ${grouped(from)}` : `Score ${grouped(from)} to ${grouped(to)}`;
}

function evidenceOf(band: readonly TakenRateDto[]): string {
  const taken = band.reduce((sum, cell) => sum + cell.taken, 0);
  const days = band.reduce((sum, cell) => sum + cell.exposure_days, 0);
  return days === 0 ? 'nothing seen yet' : `${grouped(taken)} taken in ${grouped(days)} days`;
}

function endOf({ age_from_days: from, age_to_days: to }: TakenRateDto): number {
  return to ?? from * OPEN_BUCKET_GROWTH;
}

const grouped = (count: number) => Math.round(count).toLocaleString('en-AU');
const at = (pixels: number) => Number(pixels.toFixed(1));
