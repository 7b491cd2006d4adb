import { SingleBar } from 'cli-progress';
import type { ImportProgress } from '../../ingest/import/importer.js';

interface ProgressDisplay {
  readonly update: (progress: ImportProgress) => void;
  /** Leaves the terminal on a fresh line. Idempotent. */
  stop(): void;
}

/** A bar on a terminal, a line now and then elsewhere. */
export function showProgress(output: NodeJS.WriteStream): ProgressDisplay {
  return output.isTTY ? bar(output) : lines(output);
}

function bar(output: NodeJS.WriteStream): ProgressDisplay {
  const single = new SingleBar({
    stream: output,
    format: '{bar} {percentage}% | {rows} rows | {step}',
    hideCursor: true,
    clearOnComplete: true,
  });
  let started = false;
  return {
    update: (progress) => {
      // Without a size, as on standard input, the bar stays empty and only the rows count.
      const total = progress.totalBytes ?? 1;
      const done = progress.totalBytes === null ? 0 : progress.readBytes;
      if (!started) single.start(total, 0, { rows: '0', step: progress.step });
      started = true;
      single.setTotal(total);
      single.update(done, { rows: progress.rows.toLocaleString('en-AU'), step: progress.step });
    },
    stop: () => {
      if (started) single.stop();
      started = false;
    },
  };
}

const LINE_EVERY_MS = 5_000;

function lines(output: NodeJS.WriteStream): ProgressDisplay {
  const startedAt = performance.now();
  let lastStep = '';
  let lastLineAt = 0;
  return {
    update: (progress) => {
      const now = performance.now();
      if (progress.step === lastStep && now - lastLineAt < LINE_EVERY_MS) return;
      lastStep = progress.step;
      lastLineAt = now;
      output.write(`${String(Math.round((now - startedAt) / 1_000)).padStart(5)} s  ${describe(progress)}\n`);
    },
    stop: () => undefined,
  };
}

const COUNTED = ['reading', 'writing', 'tidying'];

function describe({ step, rows, readBytes, totalBytes }: ImportProgress): string {
  if (!COUNTED.includes(step)) return step;
  const share =
    totalBytes === null ? '' : `, ${totalBytes ? Math.floor((readBytes / totalBytes) * 100) : 100}%`;
  return `${step}: ${rows.toLocaleString('en-AU')} rows${share}`;
}
