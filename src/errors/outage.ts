import type { Logger } from '@nestjs/common';

/** Says once that something does not work, and once that it works again, however often it is tried in between. */
export class Outage {
  private isOn = false;

  constructor(
    private readonly logger: Logger,
    private readonly what: string,
  ) {}

  begin(error: unknown): void {
    if (!this.isOn) this.logger.warn(`${this.what}: ${String(error)}`);
    this.isOn = true;
  }

  end(): void {
    if (this.isOn) this.logger.log(`${this.what} no longer`);
    this.isOn = false;
  }
}
