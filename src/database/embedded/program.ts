import { spawn } from 'node:child_process';
import { hasCode } from '../../validation/thrown.js';

/** The operating-system user a program runs as. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

export interface ProgramOptions {
  /** Undefined: the user of this process. */
  readonly user: SystemUser | undefined;
  readonly timeoutMs: number;
  readonly input?: string;
  /** For a program that leaves a server behind: a pipe would stay open for the life of that server. */
  readonly silent?: boolean;
}

/** How a program ended; `code` is null when it could not run or was stopped, and `output` then says why. */
export interface ProgramResult {
  readonly code: number | null;
  readonly output: string;
}

const MAX_OUTPUT_CHARACTERS = 20_000;

/** Runs a program to its end. Never throws: one that cannot even be started is a result as well. */
export async function runProgram(
  program: string,
  parameters: readonly string[],
  { user, timeoutMs, input, silent = false }: ProgramOptions,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      // The folder this process stands in may be closed to the other user.
      cwd: '/',
      // PGPORT, PGOPTIONS and the like of the caller must not reach the server; English keeps its messages searchable.
      env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
      stdio: silent ? 'ignore' : 'pipe',
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-MAX_OUTPUT_CHARACTERS);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    // A program that ends before it has read everything says more by its exit than by this broken pipe.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    // Node's own time limit for a child goes on ticking, and keeps the process alive, when the child could not be started.
    const limit = setTimeout(() => child.kill(), timeoutMs);
    const finish = (result: ProgramResult) => {
      clearTimeout(limit);
      resolve(result);
    };
    child.once('error', (error) => finish({ code: null, output: error.message }));
    child.once(silent ? 'exit' : 'close', (code: number | null, signal: NodeJS.Signals | null) =>
      finish({ code, output: signal ? `${output}\nstopped by ${signal}` : output }),
    );
  });
}

/** Whether a process has this id; one that belongs to somebody else counts. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}
