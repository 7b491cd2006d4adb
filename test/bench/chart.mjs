const WIDTH = 760;
const HEIGHT = 420;
const LEFT = 64;
const RIGHT = 210;
const TOP = 44;
const BOTTOM = 52;

// Colours that people with colour blindness tell apart (Okabe and Ito).
const LINES = {
  bowerbird: { name: 'Bowerbird', colour: '#0072b2' },
  sqlite: { name: 'SQLite FTS5 trigram', colour: '#e69f00' },
  duckdb: { name: 'DuckDB, full scan', colour: '#009e73' },
  trigram: { name: 'PostgreSQL pg_trgm', colour: '#d55e00' },
};

/** p50 (dashed) and p99 over the number of names, both axes logarithmic. */
export function drawGrowth(runs) {
  const rows = runs.map((run) => run.rows);
  const all = runs.flatMap(({ engines }) =>
    Object.values(engines).flatMap(({ limit10 }) => [limit10.p50, limit10.p99]),
  );
  const low = Math.floor(Math.log10(Math.min(...all)));
  const high = Math.ceil(Math.log10(Math.max(...all)));
  const [first, last] = [Math.log10(Math.min(...rows)), Math.log10(Math.max(...rows))];
  const x = (count) => LEFT + ((Math.log10(count) - first) / (last - first || 1)) * (WIDTH - LEFT - RIGHT);
  const y = (time) => HEIGHT - BOTTOM - ((Math.log10(time) - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);

  const grid = Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step)).map(
    (time) =>
      `<line x1="${LEFT}" y1="${y(time)}" x2="${WIDTH - RIGHT}" y2="${y(time)}" stroke="#ddd"/>` +
      `<text x="${LEFT - 8}" y="${y(time) + 4}" text-anchor="end">${label(time)}</text>`,
  );
  const ticks = rows.map(
    (count) =>
      `<text x="${x(count)}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${short(count)}</text>`,
  );
  const curves = Object.entries(LINES).flatMap(([engine, { name, colour }]) => {
    const points = runs
      .filter(({ engines }) => engines[engine])
      .map((run) => ({ rows: run.rows, ...run.engines[engine].limit10 }));
    if (points.length === 0) return [];
    const path = (key) => points.map((point) => `${x(point.rows)},${y(point[key])}`).join(' ');
    const end = points[points.length - 1];
    return [
      `<polyline points="${path('p99')}" fill="none" stroke="${colour}" stroke-width="2.5"/>`,
      `<polyline points="${path('p50')}" fill="none" stroke="${colour}" stroke-width="1.5" stroke-dasharray="4 4"/>`,
      ...points.map(
        (point) => `<circle cx="${x(point.rows)}" cy="${y(point.p99)}" r="3.5" fill="${colour}"/>`,
      ),
      `<text x="${x(end.rows) + 10}" y="${y(end.p99) + 4}" fill="${colour}">${name}</text>`,
    ];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="13" fill="#333">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<text x="${LEFT}" y="24" font-size="15">Ranked search, limit 10: time of a question (p99 solid, p50 dashed)</text>
${[...grid, ...ticks, ...curves].join('\n')}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">names</text>
</svg>
`;
}

function label(time) {
  return time >= 1000 ? `${time / 1000} s` : `${Number(time.toPrecision(1))} ms`;
}

function short(count) {
  return count >= 1_000_000 ? `${count / 1_000_000} M` : `${count / 1000} k`;
}
