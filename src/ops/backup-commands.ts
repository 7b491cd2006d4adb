import { local, moment, optional, text } from './command.js';

const FILE = (description: string) => text(description, { rule: 'must be a file', maxLength: 4_096 });

/** The commands about backups, for the table of all commands. */
export const BACKUP_COMMANDS = {
  backup: local({
    words: 'backup',
    only: 'it writes a local file',
    summary: 'Write the whole database to a file, from one moment, beside a running service',
    arguments: { file: FILE('A file that does not exist yet; only its owner can read it.') },
    runHere: async ({ file }) => (await import('./local/backup.js')).runBackup(file),
  }),
  restore: local({
    words: 'restore',
    only: 'no service may run meanwhile',
    summary: 'Fill an empty database from a backup of the same version: all of it, or nothing',
    arguments: { file: FILE('The backup.') },
    runHere: async ({ file }) => (await import('./local/backup.js')).runRestore(file),
  }),
  listBackups: local({
    words: 'backups',
    only: 'it needs no database',
    summary: 'Scheduled backups, the newest first',
    runHere: async () => (await import('./local/backup.js')).listBackups(),
  }),
  recover: local({
    words: 'recover',
    only: 'no service may run meanwhile',
    summary: 'Bring the database back from the scheduled backups',
    description: 'An embedded server to DATA_DIR, up to its last commit; another one from its last dump.',
    arguments: {
      until: optional(moment('Nothing that was committed later comes back.', '2026-11-20T04:00:00Z')),
    },
    runHere: async ({ until }) => (await import('./local/backup.js')).recover(until ?? null),
  }),
} as const;
