import { Injectable, Logger } from '@nestjs/common';
import { Client } from 'pg';
import { DataSource } from 'typeorm';

const CHANNEL = 'domain_event';
const CONNECT_TIMEOUT_MS = 3_000;

/**
 * Wakes whoever waits for events as soon as some are committed. Notifications can be lost with the
 * connection; callers then wake when their time is over.
 */
@Injectable()
export class EventWatch {
  private readonly logger = new Logger('Webhooks');
  private client: Client | null = null;
  private isAwake = false;
  private ring: () => void = () => undefined;

  constructor(private readonly dataSource: DataSource) {}

  wake(): void {
    this.isAwake = true;
    this.ring();
  }

  /** Resolves when something was told since the last time, or when the time is over. */
  async wait(ms: number): Promise<void> {
    await this.listen();
    if (!this.isAwake)
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, ms);
        this.ring = () => {
          clearTimeout(limit);
          resolve();
        };
      });
    this.isAwake = false;
  }

  async close(): Promise<void> {
    const { client } = this;
    this.client = null;
    await client?.end();
  }

  private async listen(): Promise<void> {
    if (this.client) return;
    const { url } = this.dataSource.options as { url?: string };
    const client = new Client({
      connectionString: url,
      application_name: 'bowerbird webhooks',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    client.on('notification', () => this.wake());
    client.on('error', () => this.forget(client));
    client.on('end', () => this.forget(client));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.client = client;
    } catch (error) {
      this.logger.warn(`Events are looked for by the clock, as they cannot be listened to: ${String(error)}`);
      await client.end().catch(() => undefined);
    }
  }

  private forget(client: Client): void {
    if (this.client === client) this.client = null;
  }
}
