const NAMES = {
  bowerbird: 'Bowerbird',
  trigram: 'PostgreSQL, `gin_trgm_ops` and a rank index',
  sqlite: 'SQLite, FTS5 trigram',
  duckdb: 'DuckDB, full scan',
};

/** @param times in ms */
export function percentiles(times) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share) => Number(sorted[Math.ceil(sorted.length * share) - 1].toPrecision(3));
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

export function toTable({ machine, finished, repeats, runs }) {
  const lines = [
    `${machine}; ${finished.slice(0, 10)}. Milliseconds, the median of ${repeats} askings of each question after one to warm up.`,
    '',
    '| names | engine | p50 | p95 | p99 | max | p99 ÷ ours | max, limit 50 | given up | loading |',
    '|---:|---|---:|---:|---:|---:|---:|---:|---:|---|',
  ];
  for (const { rows, engines } of runs) {
    for (const [name, { limit10, limit50, timedOut, wrong, loading }] of Object.entries(engines)) {
      const ratio = limit10.p99 / engines.bowerbird.limit10.p99;
      const cells = [
        rows.toLocaleString('en-AU'),
        NAMES[name],
        ...[limit10.p50, limit10.p95, limit10.p99, limit10.max].map(ms),
        ratio < 10 ? ratio.toFixed(1) : Math.round(ratio),
        ms(limit50.max),
        timedOut,
        wrong > 0 ? `${wrong} ANSWERS DIFFER` : loading,
      ];
      lines.push(`| ${cells.join(' | ')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function ms(time) {
  if (time < 10) return time.toFixed(2);
  return time < 100 ? time.toFixed(1) : Math.round(time).toLocaleString('en-AU');
}
