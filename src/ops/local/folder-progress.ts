import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Database } from '../../db/database.js';
import { AuditRepository } from '../../observe/audit.repository.js';

/** In the audit log: a list of a folder is imported, and all lists of a folder are. */
const LIST_ACTION = 'import.list';
const FOLDER_ACTION = 'import.folder';

interface ListFile {
  readonly name: string;
  readonly path: string;
}

/**
 * The lists of a folder that an import has taken in before it ended early, known by their content and flags. The audit
 * log has them. After an import of the whole folder the next one begins again.
 */
export class FolderProgress {
  private readonly audit: AuditRepository;
  private readonly subject: string;

  /** @param flags of the command: lists that were imported with others are imported again */
  constructor(
    database: Database,
    folder: string,
    private readonly flags: string,
  ) {
    this.audit = new AuditRepository(database);
    this.subject = `folder:${resolve(folder)}`;
  }

  /** @param most entries to read */
  async withoutDone<File extends ListFile>(files: readonly File[], most: number): Promise<File[]> {
    const [whole] = await this.audit.list({ action: FOLDER_ACTION, subject: this.subject }, 1);
    const entries = await this.audit.list({ action: LIST_ACTION, subject: this.subject }, most);
    const done = new Set(entries.filter(({ id }) => id > (whole?.id ?? 0)).map(({ reason }) => reason));
    if (done.size === 0) return [...files];
    const left: File[] = [];
    for (const file of files) if (!done.has(await this.describe(file))) left.push(file);
    return left;
  }

  async noteList(file: ListFile): Promise<void> {
    await this.note(LIST_ACTION, await this.describe(file));
  }

  async noteWhole(): Promise<void> {
    await this.note(FOLDER_ACTION, `all lists ${this.flags}`.trim());
  }

  private async describe({ name, path }: ListFile): Promise<string> {
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    return `${name} sha256:${hash.digest('hex')} ${this.flags}`.trim();
  }

  private async note(action: string, reason: string): Promise<void> {
    const actor = `command:${userInfo().username}`;
    await this.audit.record({ actor, action, subject: this.subject, reason, from: null });
  }
}
