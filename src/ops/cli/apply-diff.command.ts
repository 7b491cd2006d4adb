import type { Command } from 'commander';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';

/** `bowerbird apply-diff exports/snapshot-… exports/diff-… next.ndjson` */
export function registerApplyDiff(program: Command): void {
  program
    .command('apply-diff')
    .description(
      'Make the next snapshot of one and the diff behind it, as uncompressed NDJSON. Needs no database.',
    )
    .argument('<snapshot>', 'the folder with the snapshot; of its files, those in NDJSON are read')
    .argument('<diff>', 'the folder with the diff')
    .argument('<file>', 'where the lines are written')
    .action(async (snapshot: string, diff: string, file: string) => {
      const { applyDiffFolder } = await import('../../exports/applying/apply-folders.js');
      const unfinished = `${file}.part`;
      try {
        const { rows, sha256 } = await applyDiffFolder(snapshot, diff, createWriteStream(unfinished));
        await rename(unfinished, file);
        process.stdout.write(`${file}  ${rows} rows\nSHA-256  ${sha256}, as the diff has it\n`);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    });
}
