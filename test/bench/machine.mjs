import { cpus, totalmem, release } from 'node:os';

export function describeMachine() {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release().split('-')[0]}, Node ${process.version}`;
}
