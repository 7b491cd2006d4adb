import type { Seen } from './load.js';

interface PhaseTimes {
  readonly name: string;
  readonly ms: number[];
  readonly errors: Map<string, number>;
  readonly wrong: string[];
  results: number;
  closed: number;
  lastResultAtMs: number;
  longestPauseMs: number;
}

/** What every phase of the trial cost its callers. */
export class Report {
  private readonly phases: PhaseTimes[] = [];

  begin(name: string, atMs: number): void {
    const last = this.phases.at(-1);
    if (last) last.longestPauseMs = Math.max(last.longestPauseMs, atMs - last.lastResultAtMs);
    this.phases.push({
      ...{
        name,
        ms: [],
        errors: new Map(),
        wrong: [],
        results: 0,
        closed: 0,
        lastResultAtMs: atMs,
        longestPauseMs: 0,
      },
    });
  }

  add({ kind, verdict, atMs, ms }: Seen): void {
    const phase = this.phases.at(-1);
    if (!phase) throw new Error('no phase has begun');
    phase.ms.push(ms);
    if (verdict.is === 'wrong') phase.wrong.push(`${kind}: ${verdict.why}`);
    else if (verdict.is === 'closed') phase.closed += 1;
    else if (verdict.is === 'error')
      phase.errors.set(verdict.code, (phase.errors.get(verdict.code) ?? 0) + 1);
    else {
      phase.results += 1;
      phase.longestPauseMs = Math.max(phase.longestPauseMs, atMs - phase.lastResultAtMs);
      phase.lastResultAtMs = atMs;
    }
  }

  get wrong(): readonly string[] {
    return this.phases.flatMap(({ name, wrong }) => wrong.map((why) => `${name}: ${why}`));
  }

  get closed(): number {
    return this.phases.reduce((sum, { closed }) => sum + closed, 0);
  }

  get requests(): number {
    return this.phases.reduce((sum, { ms }) => sum + ms.length, 0);
  }

  table(): string {
    const head = `| while | requests | results | documented errors | closed | wrong | p50, ms | p99, ms | longest time without a result, ms |
|---|---:|---:|---|---:|---:|---:|---:|---:|`;
    return `${[head, ...this.phases.map(rowOf)].join('\n')}\n`;
  }
}

function rowOf({ name, ms, results, errors, closed, wrong, longestPauseMs }: PhaseTimes): string {
  const sorted = ms.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  const codes = [...errors].map(([code, count]) => `${count} ${code}`).join(', ') || '0';
  return `| ${name} | ${ms.length} | ${results} | ${codes} | ${closed} | ${wrong.length} | ${at(0.5)} | ${at(0.99)} | ${Math.round(longestPauseMs)} |`;
}
