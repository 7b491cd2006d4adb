import { type INestApplicationContext, ShutdownSignal } from '@nestjs/common';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
type Signal = (typeof SIGNALS)[number];

/**
 * Holds back the first signal to stop while something is begun or ended that must not be left half-way: without
 * it an embedded server that has just been started would be left running. Who insists with a second one ends the
 * process at once.
 */
export class ShutdownSignals {
  private held: Signal | undefined;
  private readonly hold = (signal: Signal) => {
    this.held = signal;
    this.letThrough();
  };

  /** @param database an external one (with a url) needs no cleaning up, and connecting may take long */
  constructor(database: { readonly url: string | undefined }) {
    if (database.url !== undefined) return;
    for (const signal of SIGNALS) process.on(signal, this.hold);
  }

  get isTold(): boolean {
    return this.held !== undefined;
  }

  /**
   * Lets the application stop itself on a signal from now on.
   *
   * @param giveNotice runs first on SIGTERM; a second SIGTERM shortens it. SIGINT (Ctrl-C) skips it
   * @returns false when a signal came already; then the application is closed
   */
  async handTo(
    app: INestApplicationContext,
    giveNotice?: (hurry: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    if (this.held) {
      await app.close();
      return false;
    }
    this.letThrough();
    if (!giveNotice) app.enableShutdownHooks();
    else {
      app.enableShutdownHooks(
        Object.values(ShutdownSignal).filter((name) => name !== ShutdownSignal.SIGTERM),
      );
      stopWithNotice(app, giveNotice);
    }
    return true;
  }

  /** Lets signals do what they do, also the one that was held back. */
  release(): void {
    this.letThrough();
    if (this.held) process.kill(process.pid, this.held);
  }

  private letThrough(): void {
    for (const signal of SIGNALS) process.off(signal, this.hold);
  }
}

function stopWithNotice(
  app: INestApplicationContext,
  giveNotice: (hurry: AbortSignal) => Promise<void>,
): void {
  const hurry = new AbortController();
  const hasten = () => hurry.abort();
  process.once('SIGTERM', () => {
    process.on('SIGTERM', hasten);
    void giveNotice(hurry.signal)
      .then(() => app.close())
      .finally(() => {
        process.off('SIGTERM', hasten);
        process.kill(process.pid, 'SIGTERM');
      });
  });
}
