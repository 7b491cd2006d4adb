import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/**
 * Timers for what each process keeps in memory. They are no work of the installation, need no row, and are not paused:
 * everything else is a kind of work.
 */
@Injectable()
export class ProcessTimers implements OnApplicationShutdown {
  private readonly timers = new Set<NodeJS.Timeout>();

  /** @param task handles its own errors @returns what ends it before the process does */
  every(ms: number, task: () => unknown): () => void {
    const timer = setInterval(() => void task(), ms).unref();
    this.timers.add(timer);
    return () => {
      clearInterval(timer);
      this.timers.delete(timer);
    };
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
  }
}
