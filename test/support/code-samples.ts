import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const SAMPLES = resolve(__dirname, '../../docs/site/samples.md');

/** What runs the samples of a language: a command and the name of its file. */
const RUNNERS = {
  sh: ['sh', '-e', 'sample.sh'],
  js: ['node', 'sample.mjs'],
  python: ['python3', 'sample.py'],
  php: ['php', 'sample.php'],
  go: ['go', 'run', 'sample.go'],
} as const;
export const SAMPLE_LANGUAGES = Object.keys(RUNNERS) as (keyof typeof RUNNERS)[];

/** Whether this machine can run the samples of the language. */
export function canRun(language: keyof typeof RUNNERS): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${RUNNERS[language][0]}`]);
    return true;
  } catch {
    return false;
  }
}

/** Runs the samples of a language as a reader would who copies them, one after the other. @returns what each printed */
export async function runSamples(
  language: keyof typeof RUNNERS,
  baseUrl: string,
  key: string,
): Promise<string[]> {
  const text = await readFile(SAMPLES, 'utf8');
  const samples = [...text.matchAll(new RegExp('```' + language + '\\n([^]*?)```', 'g'))];
  const [command, ...parts] = RUNNERS[language];
  const folder = await mkdtemp(join(tmpdir(), 'bowerbird-samples-'));
  const printed: string[] = [];
  try {
    for (const [, source = ''] of samples) {
      await writeFile(join(folder, parts.at(-1) ?? ''), source.replaceAll('http://127.0.0.1:3000', baseUrl));
      const { stdout } = await promisify(execFile)(command, parts, {
        cwd: folder,
        env: { ...process.env, BOWERBIRD_KEY: key },
      });
      printed.push(stdout);
    }
    return printed;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
