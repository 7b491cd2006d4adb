import { messageOf } from '../validation/unknown-values.js';
import { type ExportMessage, takeLowPriority } from './exporter.js';
import { type ExportTask, makeExports } from './make-exports.js';

/** Told that often at most: the message would cost more than the rows. */
const TELL_EVERY_MS = 250;

// The parent has ended; the next run makes the export again.
process.once('disconnect', () => process.exit(1));
process.once('message', (task: ExportTask) => void make(task));

async function make(task: ExportTask): Promise<void> {
  let toldAt = -Infinity;
  let step = '';
  try {
    await takeLowPriority();
    const made = await makeExports(task, {
      onProgress: (progress) => {
        if (progress.step === step && performance.now() - toldAt < TELL_EVERY_MS) return;
        toldAt = performance.now();
        step = progress.step;
        tell({ progress });
      },
      warn: (warning) => tell({ warning }),
    });
    tell({ made: made && made.map(({ id, kind, rows, lastEvent }) => ({ id, kind, rows, lastEvent })) });
  } catch (error) {
    tell({ failure: messageOf(error) });
  }
  process.disconnect();
}

function tell(message: ExportMessage): void {
  process.send?.(message);
}
