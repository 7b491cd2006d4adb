import { Get, Injectable, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../../config/product.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import type { Domain } from '../../domains/schema/domain.js';
import { ApiError } from '../../errors/api-error.js';
import { BoundedMap } from '../../validation/caches.js';
import { stepOf } from '../layout/charts.js';
import { readName } from '../layout/error-pages.js';
import { readAsset } from '../layout/layout.js';
import { PublicPages } from '../layout/public-pages.js';
import { escaped } from '../layout/templates.js';
import { fillIn, t } from '../../texts/texts.js';
import { dayInWords } from '../layout/words.js';
import { calendarDateOf } from '../../domains/schema/calendar-date.js';
import { BADGES, statusOfRow } from './status-badge.js';

/** About 40 kB each. */
const MAX_PICTURES = 200;
/** The file system and DNS share the threads: when so many wait, the common picture is sent. */
const MAX_DRAWING = 8;
const WIDTH = 1200;
const HEIGHT = 630;
const MARGIN = 90;
const LARGEST = 96;
const SMALLEST = 44;

const FONT = join(PROJECT_FOLDER, 'assets/fonts/PublicSans-SemiBold.ttf');
const DRAWN = { loadSystemFonts: false, fontFiles: [FONT], defaultFontFamily: 'Public Sans' };

/** Pictures of our own drawings. The library has a binary for most platforms; it is loaded when first needed. */
@Injectable()
export class PictureMaker {
  private readonly kept = new BoundedMap<string, Buffer>(MAX_PICTURES);
  private drawing = 0;
  private last: Promise<unknown> = Promise.resolve();

  /** One at a time. @returns null where too many wait, or this platform cannot draw */
  async draw(svg: string, width: number): Promise<Buffer | null> {
    const key = `${width} ${svg}`;
    const known = this.kept.get(key);
    if (known) return known;
    if (this.drawing >= MAX_DRAWING) return null;
    this.drawing += 1;
    const turn = this.last.then(() => render(svg, width));
    this.last = turn.catch(() => undefined);
    try {
      const picture = await turn;
      if (picture) this.kept.set(key, picture);
      return picture;
    } finally {
      this.drawing -= 1;
    }
  }
}

async function render(svg: string, width: number): Promise<Buffer | null> {
  const library = await import('@resvg/resvg-js').catch(() => null);
  const drawn = await library?.renderAsync(svg, { font: DRAWN, fitTo: { mode: 'width', value: width } });
  return drawn?.asPng() ?? null;
}

const FOUND = 302;
const COMMON = '/assets/open-graph.png';

@PublicPages()
export class PicturesController {
  constructor(
    private readonly pictures: PictureMaker,
    private readonly domains: DomainRepository,
    private readonly reads: ReadDatabase,
  ) {}

  /** Shown where the page of a name is shared. @throws {ApiError} not_found for a name that is not known or withheld */
  @Get('domains/:domain/picture.png')
  async showName(@Param('domain') domain: string, @Res() response: Response): Promise<void> {
    const row = await this.domains.findShownDomain(readName(domain).domain, this.reads);
    if (!row) throw new ApiError('not_found', 'There is no picture of this name.');
    send(response, await this.pictures.draw(drawName(row), WIDTH), COMMON);
  }

  /** Of the whole site, for home screens: 180, 192 or 512 pixels wide. @throws {ApiError} not_found */
  @Get('assets/icon-:size.png')
  async showIcon(@Param('size') size: string, @Res() response: Response): Promise<void> {
    const width = ICON_SIZES.find((one) => String(one) === size);
    if (width === undefined) throw new ApiError('not_found', 'There is no icon of this size.');
    send(response, await this.pictures.draw(ICON, width), '/favicon.ico');
  }
}

function send(response: Response, picture: Buffer | null, instead: string): void {
  if (picture === null) {
    response.redirect(FOUND, instead);
    return;
  }
  response.set({
    'Cache-Control': 'public, max-age=3600',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Robots-Tag': 'noindex',
  });
  response.type('png').send(picture);
}

/** iOS takes the first; the others are in the manifest. */
const ICON_SIZES = [180, 192, 512] as const;

/** Those of the light pages: pictures have one look everywhere. */
const PAPER = '#f6efd9';
const INK = '#161a2e';
const SOFT = '#565b72';
const SATIN = '#2c3fb1';

const MARK = readAsset('mark.svg')
  .replace(/<style>.*<\/style>/, '')
  .replace(/<\/?svg[^>]*>/g, '')
  .replaceAll('currentColor', INK)
  .replace('<circle', `<circle fill="${SATIN}"`);
const ICON = svg('-8 -8 48 48', `${box(-8, -8, 48, 48, PAPER)}${MARK}`);

function svg(view: string, content: string): string {
  const start = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${view}" font-family="Public Sans">`;
  return `${start}${content}</svg>`;
}

function box(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"/>`;
}

function written(words: string, x: number, y: number, size: number, fill: string): string {
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}">${escaped(words)}</text>`;
}

/** The name as large as it fits, its state at the last check, and its score. */
function drawName(row: Domain): string {
  const lines = linesOf(row.name, `.${row.tld}`);
  const widest = Math.max(...lines.map(widthOf));
  const size = Math.min(LARGEST, Math.floor((WIDTH - 2 * MARGIN) / widest));
  const top = HEIGHT / 2 - ((lines.length - 1) * size * 1.1) / 2 + size / 3;
  const { saidAt, badge } = statusOfRow(row);
  const when = saidAt ? ` ${fillIn(t.names.pictureCheck, { day: dayInWords(calendarDateOf(saidAt)) })}` : '';
  const foot = [
    BADGES[badge].words + when,
    row.wayback > 0 ? fillIn(t.names.pictureScore, { score: row.wayback }) : '',
  ];
  const steps = Array.from({ length: stepOf(row.wayback) }, (_, place) => {
    const height = 22 + place * 11;
    return box(WIDTH - MARGIN - 190 + place * 38, HEIGHT - MARGIN - height, 28, height, SATIN);
  });
  return svg(
    `0 0 ${WIDTH} ${HEIGHT}`,
    [
      box(0, 0, WIDTH, HEIGHT, PAPER),
      `<g transform="translate(${MARGIN} 70) scale(2.4)">${MARK}</g>`,
      written('Bowerbird', MARGIN + 104, 126, 46, INK),
      ...lines.map((line, place) => written(line, MARGIN, top + place * size * 1.1, size, INK)),
      ...foot.map((line, place) => written(line, MARGIN, HEIGHT - MARGIN - 45 + place * 48, 34, SOFT)),
      ...steps,
    ].join(''),
  );
}

/** How much of the font fits on a line at the smallest size. */
const MAX_LINE = (WIDTH - 2 * MARGIN) / SMALLEST;

/** A name too wide for one line breaks anywhere in its label; the suffix is never cut. */
function linesOf(label: string, suffix: string): string[] {
  const lines = [''];
  for (const part of [...label, suffix]) {
    const longer = (lines.at(-1) ?? '') + part;
    if (widthOf(longer) <= MAX_LINE) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}

/** At least as wide as the font draws it, as a multiple of its size. */
function widthOf(text: string): number {
  return [...text].reduce(
    (sum, letter) => sum + ('mw'.includes(letter) ? 0.89 : '1fijlrt-.'.includes(letter) ? 0.42 : 0.66),
    0,
  );
}
