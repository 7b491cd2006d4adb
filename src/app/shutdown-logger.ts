import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationShutdown,
} from '@nestjs/common';

/** Says why the process ends, when it begins to and when it has done so. */
@Injectable()
export class LifeLog implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('Process');

  beforeApplicationShutdown(signal?: string): void {
    this.logger.log({ msg: 'stopping', reason: signal ?? 'closed by its owner' });
  }

  onApplicationShutdown(signal?: string): void {
    const reason = signal ?? 'closed by its owner';
    this.logger.log({ msg: 'stopped', reason, uptime_seconds: Math.round(process.uptime()) });
  }
}
