import { round } from './asking.mjs';
import { describeQuery } from './queries.mjs';

const NAMES = {
  bowerbird: 'Bowerbird',
  trigram: 'PostgreSQL, `gin_trgm_ops` and a rank index',
  sqlite: 'SQLite, FTS5 trigram',
  duckdb: 'DuckDB, full scan',
};

/** @param times in ms */
export function percentiles(times) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share) => round(sorted[Math.ceil(sorted.length * share) - 1]);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

/** @param times for each question, in ms */
export function summarise(queries, times) {
  const of = (limit) => percentiles(times.filter((_, place) => queries[place].limit === limit));
  const slowest = times
    .map((ms, place) => ({ ms, query: describeQuery(queries[place]) }))
    .sort((one, other) => other.ms - one.ms)
    .slice(0, 3);
  return { limit10: of(10), limit50: of(50), slowest };
}

export function toTable({ machine, runs }) {
  const engines = runs.flatMap((run) => Object.values(run.engines));
  const last =
    engines
      .map(({ finished }) => finished)
      .toSorted()
      .at(-1) ?? '';
  const lines = [
    `${machine}; ${last.slice(0, 10)}. Milliseconds, limit 10 unless said. Each question is asked once to warm up and then ${engines[0]?.repeats} times, fewer above 50 ms; the median counts.`,
    '',
    '| names | engine | p50 | p95 | p99 | max | p99 ÷ ours | max, limit 50 | given up | loaded in |',
    '|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|',
  ];
  for (const { rows, engines } of runs) {
    for (const [name, { limit10, limit50, timedOut, wrong, loadedInSeconds }] of Object.entries(engines)) {
      const ratio = limit10.p99 / engines.bowerbird.limit10.p99;
      const cells = [
        rows.toLocaleString('en-AU'),
        NAMES[name],
        ...[limit10.p50, limit10.p95, limit10.p99, limit10.max].map(ms),
        ratio < 10 ? ratio.toFixed(1) : Math.round(ratio),
        ms(limit50.max),
        timedOut,
        wrong > 0
          ? `${wrong} ANSWERS DIFFER`
          : `${loadedInSeconds < 10 ? loadedInSeconds.toFixed(1) : Math.round(loadedInSeconds)} s`,
      ];
      lines.push(`| ${cells.join(' | ')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}

export function ms(time) {
  if (time < 10) return time.toFixed(2);
  return time < 100 ? time.toFixed(1) : Math.round(time).toLocaleString('en-AU');
}
