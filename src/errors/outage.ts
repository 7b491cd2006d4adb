import type { Logger } from '@nestjs/common';

/** What fails in ever new ways is not followed through all of them. */
const MAX_REASONS = 5;

/**
 * Says once that something does not work, with each reason once, and once that it works again, however often it is
 * tried in between.
 */
export class OutageLogger {
  private readonly reasons = new Set<string>();

  constructor(
    private readonly logger: Logger,
    private readonly what: string,
  ) {}

  begin(error: unknown): void {
    const text = String(error);
    // How many milliseconds something took, or which script it was, is no other reason.
    const reason = text.replace(/[0-9a-f]{16,}|\d+/g, '#');
    if (this.reasons.has(reason) || this.reasons.size === MAX_REASONS) return;
    this.reasons.add(reason);
    this.logger.warn(`${this.what}: ${text}`);
  }

  end(): void {
    if (this.reasons.size > 0) this.logger.log(`${this.what} no longer`);
    this.reasons.clear();
  }
}
