import { fork } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import type { Database } from '../db/database.js';
import { currentFence } from '../db/scope.js';
import type { ExportRepository, Export } from './export.repository.js';
import type { ExportTask, ExportProgress } from './make-exports.js';
import { PROJECT_FOLDER } from '../config/product.js';

/** What a task takes from the configuration. */
export interface TaskConfig {
  readonly exports: Config['exports'];
  readonly links: Pick<Config['links'], 'baseUrl'>;
}

export class Exporter {
  constructor(
    private readonly config: TaskConfig,
    private readonly database: Pick<Database, 'directUrl'>,
    private readonly exports: ExportRepository,
    private readonly process: ExportProcess,
  ) {}

  /** @returns the exports made; null: none is due, or another process makes them */
  async makeDue(
    now: Date,
    options: Parameters<ExportProcess['make']>[1],
  ): Promise<readonly MadeExport[] | null> {
    const kind = await this.dueKind(now);
    if (!kind) return null;
    const task = { ...taskOf(kind, this.config, this.database, now), fence: currentFence() };
    return this.process.make(task, options);
  }

  private async dueKind(now: Date): Promise<ExportTask['kind'] | null> {
    const { time, hourly } = this.config.exports;
    const snapshot = await this.exports.findLast('snapshot');
    if (nextExportAt(dailyAt(time), snapshot, now) <= now) return 'snapshot';
    if (!hourly) return null;
    const changes = await this.exports.findLast('changes');
    return nextExportAt(HOURLY, changes, now) <= now ? 'changes' : null;
  }
}

export function taskOf(
  kind: ExportTask['kind'],
  { exports: { folder, bucket, keepSnapshots, keepDiffDays }, links }: TaskConfig,
  { directUrl }: Pick<Database, 'directUrl'>,
  now: Date,
): ExportTask {
  return {
    kind,
    databaseUrl: directUrl,
    folder,
    bucket,
    baseUrl: links.baseUrl,
    now: now.toISOString(),
    keepSnapshots,
    keepDiffDays,
  };
}

/** One export in each period, which begins at the offset. */
interface ExportSchedule {
  readonly periodMs: number;
  readonly offsetMs: number;
}

export const HOURLY: ExportSchedule = { periodMs: 3_600_000, offsetMs: 0 };

/** @param time of day, HH:MM:SS in UTC */
export function dailyAt(time: string): ExportSchedule {
  return { periodMs: 86_400_000, offsetMs: Date.parse(`1970-01-01T${time}Z`) };
}

/** When the next export is due; not after now while it is missing. @param last null: there is none */
export function nextExportAt(
  { periodMs, offsetMs }: ExportSchedule,
  last: { readonly madeAt: Date } | null,
  now: Date,
): Date {
  const begunMs = now.getTime() - ((now.getTime() - offsetMs) % periodMs);
  return new Date(last && last.madeAt.getTime() >= begunMs ? begunMs + periodMs : begunMs);
}

/** What the process that makes exports says. */
export type ExportMessage =
  | { readonly progress: ExportProgress }
  | { readonly warning: string }
  | { readonly made: readonly MadeExport[] | null }
  | { readonly failure: string };

/** The part of an export that the parent process needs. */
type MadeExport = Pick<Export, 'id' | 'kind' | 'rows' | 'lastEvent'>;

interface Options {
  /** Ends the process at once; nothing is left of its work. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ExportProgress) => void;
  readonly warn: (message: string) => void;
}

/** Of JavaScript; buffers and the program itself come to as much again. */
const MAX_HEAP_MB = 96;
const MAIN = join(PROJECT_FOLDER, 'dist', 'export-process.main.js');

/**
 * Makes exports in a process of its own, with the lowest priority and its own memory.
 */
export class ExportProcess {
  /** @param main the program */
  constructor(private readonly main: string = MAIN) {}

  /** @returns null while another process makes exports */
  make(task: ExportTask, { signal, onProgress, warn }: Options): Promise<readonly MadeExport[] | null> {
    return new Promise((resolve, reject) => {
      const child = fork(this.main, [], {
        execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
        // The task has everything; what else is a secret of the service stays there.
        env: {},
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      const kill = () => child.kill('SIGKILL');
      signal.addEventListener('abort', kill, { once: true });
      child.on('message', (message: ExportMessage) => {
        if ('progress' in message) onProgress?.(message.progress);
        else if ('warning' in message) warn(message.warning);
        else if ('made' in message) resolve(message.made);
        else reject(new Error(message.failure));
      });
      child.once('error', reject);
      child.once('close', (code, by) => {
        signal.removeEventListener('abort', kill);
        // Without effect where it has said how it went.
        const why = signal.reason instanceof Error ? signal.reason : new Error('the export was stopped');
        reject(signal.aborted ? why : new Error(`the export ended early: ${by ?? `exit code ${code}`}`));
      });
      if (signal.aborted) kill();
      else child.send(task);
    });
  }
}

const LOWEST = constants.priority.PRIORITY_LOW;

export async function takeLowPriority(): Promise<void> {
  setPriority(LOWEST);
  // On Linux this lowers the calling thread alone; the threads that compress exist already.
  const threads = await readdir('/proc/self/task').catch(() => []);
  for (const thread of threads)
    try {
      setPriority(Number(thread), LOWEST);
    } catch {
      // A thread that has ended meanwhile needs none.
    }
}
