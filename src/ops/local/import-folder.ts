import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ImportError, printable } from '../../ingest/import/reading/import-error.js';
import { openImportFile } from '../../ingest/import/reading/import-source.js';
import type { ImportProgress } from '../../ingest/import/importer.js';
import type { ImportReport } from '../../ingest/import/import-report.js';
import type { ImportSource } from '../../ingest/import/reading/import-source.js';
import { SHOWN_REJECTS } from '../../ingest/import/rejects.js';
import { listKindIn } from '../../ingest/import/reading/drop-list.js';
import type { ListKind } from '../../config/product.js';
import { messageOf } from '../../validation/unknown-values.js';

/** Thirteen years of two lists a day. */
const MAX_FILES = 10_000;
const LIST_FILE = /\.csv(\.gz)?$/i;
const DATE = /\d{4}-\d{2}-\d{2}/;

export interface FolderFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly kind: ListKind | null;
}

/** The import of a folder ended early: earlier lists stay imported, and the message says how to go on. */
export class FolderImportError extends Error {
  constructor(
    readonly done: number,
    message: string,
    options: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The lists in a folder, in the order of the dates in their names.
 *
 * @param after the file that was imported last; the files behind it are left
 * @throws {ImportError} when they cannot be ordered, or there are none
 */
export async function listFolder(folder: string, after?: string): Promise<FolderFile[]> {
  const names = (await readdir(folder)).filter((name) => LIST_FILE.test(name));
  if (names.length === 0) throw new ImportError('No file in it ends in .csv or .csv.gz.');
  if (names.length > MAX_FILES)
    throw new ImportError(`It has ${names.length} lists; import ${MAX_FILES} at most at a time.`);
  const undated = names.find((name) => !DATE.test(name));
  if (undated !== undefined)
    throw new ImportError(
      `${printable(undated)} has no date (YYYY-MM-DD), by which lists are ordered. Rename it, or import it alone.`,
    );
  const ordered = names.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const from = after === undefined ? 0 : ordered.indexOf(basename(after)) + 1;
  if (after !== undefined && from === 0)
    throw new ImportError(`--after: there is no list ${printable(after)} in it.`);
  const files: FolderFile[] = [];
  for (const name of ordered.slice(from)) {
    const path = join(folder, name);
    files.push({ name, path, bytes: (await stat(path)).size, kind: listKindIn(name) });
  }
  if (files.length === 0)
    throw new ImportError(`${printable(after ?? '')} is its last list: all are imported.`);
  return files;
}

function keyOf(name: string): string {
  return `${DATE.exec(name)?.[0] ?? ''} ${name}`;
}

/**
 * Imports the files one after the other, each as a whole.
 *
 * @throws {FolderImportError} at the first that fails
 */
export async function importFolder(
  folder: string,
  files: readonly FolderFile[],
  importOne: (
    source: ImportSource,
    file: FolderFile,
    onProgress: (progress: ImportProgress) => void,
  ) => Promise<ImportReport>,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportReport> {
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let sum: ImportReport | undefined;
  let doneBytes = 0;
  for (const [place, file] of files.entries()) {
    try {
      const source = await openImportFile(file.path);
      const rowsBefore = sum?.read ?? 0;
      const report = await importOne(source, file, ({ rows, readBytes }) =>
        onProgress({
          step: `${place + 1} of ${files.length}: ${printable(file.name)}`,
          rows: rowsBefore + rows,
          readBytes: doneBytes + readBytes,
          totalBytes,
        }),
      );
      sum = added(sum, report, folder, file.name);
      doneBytes += file.bytes;
    } catch (error) {
      const last = files[place - 1]?.name;
      const goOn = last === undefined ? '' : ` Go on with --after ${last}`;
      throw new FolderImportError(
        place,
        `${file.path}: ${messageOf(error)}\n${place} of ${files.length} lists are imported.${goOn}\n`,
        { cause: error },
      );
    }
  }
  if (!sum) throw new ImportError('There is no list to import.');
  return sum;
}

function added(
  sum: ImportReport | undefined,
  report: ImportReport,
  folder: string,
  name: string,
): ImportReport {
  const rejects = report.rejects.map((reject) => ({
    ...reject,
    text: `${reject.text} in ${printable(name)}`,
  }));
  const base = { ...report, source: folder, dropList: undefined };
  if (!sum) return { ...base, rejects };
  return {
    ...base,
    read: sum.read + report.read,
    added: sum.added + report.added,
    changed: sum.changed + report.changed,
    unchanged: sum.unchanged + report.unchanged,
    rejected: sum.rejected + report.rejected,
    absent: sum.absent + report.absent,
    repeated: sum.repeated + report.repeated,
    askedAgain: sum.askedAgain + report.askedAgain,
    seconds: sum.seconds + report.seconds,
    rejects: [...sum.rejects, ...rejects].slice(0, SHOWN_REJECTS),
    missed: sum.missed ?? report.missed,
  };
}
