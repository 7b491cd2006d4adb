import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { RequestHandler } from 'express';
import { Config } from '../config/config.js';
import type { Tracing } from '../observe/open-telemetry.js';

/** Traces requests and job runs where the configuration says where to; else it is one comparison each. */
@Injectable()
export class TracedRequests implements OnModuleInit, OnApplicationShutdown {
  private tracing: Tracing | null = null;

  constructor(private readonly config: Config) {}

  /** A middleware. */
  readonly note: RequestHandler = (request, response, next) => {
    if (this.tracing) void this.tracing.note(request, response, next);
    else next();
  };

  async onModuleInit(): Promise<void> {
    const { endpoint, serviceName, share } = this.config.tracing;
    if (endpoint === undefined) return;
    const { startTracing } = await import('../observe/open-telemetry.js');
    this.tracing = startTracing({ endpoint, serviceName, share });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.tracing?.close();
  }
}
