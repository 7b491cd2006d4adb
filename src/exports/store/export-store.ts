import type { Readable } from 'node:stream';
import type { Export, ExportedFile } from '../export.js';

/** Where exports are kept: a folder, or a bucket of an object store. One at a time makes and deletes them; many read. */
export abstract class ExportStore {
  /** Makes sure that there is room to begin in. */
  abstract prepare(): Promise<void>;

  /** The local folder in which an export is made, before it is one. */
  abstract placeOf(id: string): string;

  /** Puts what was made in its place. */
  abstract publish(made: Export): Promise<void>;

  abstract remove(id: string): Promise<void>;

  /** Deletes what killed processes have left. @param known ids of those that are there */
  abstract sweep(known: readonly string[]): Promise<void>;

  /** Whether the files are there as they were made. */
  abstract holds(one: Export, files: readonly ExportedFile[]): Promise<boolean>;

  abstract read(id: string, file: string): Promise<Readable>;

  /** Bytes that may still be written where exports are made. */
  abstract freeBytes(): Promise<number>;
}
