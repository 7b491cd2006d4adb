import type { Bucket } from '../config/parsers.js';
import type { ExportBucket } from './export-bucket.js';
import { ExportFolder, type ExportStore } from './export-store.js';

/** @param bucket undefined: exports stay in the folder */
export async function openStore(folder: string, bucket: Bucket | undefined): Promise<ExportStore> {
  return bucket ? openBucket(folder, bucket) : new ExportFolder(folder);
}

/** The client of the store is loaded on demand: it takes 60 MB and half a second. */
export async function openBucket(folder: string, bucket: Bucket): Promise<ExportBucket> {
  const module = await import('./export-bucket.js');
  return new module.ExportBucket(bucket, folder);
}
