import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Request, RequestHandler } from 'express';
import { Config } from '../config/config.js';
import { unscoped } from '../db/scope.js';
import { isSame } from '../validation/proofs.js';
import { messageOf } from '../validation/unknown-values.js';
import { type Reading, ReadingSource } from './readings.js';

/** Seconds; about where a user begins to notice, and where time limits strike. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Requests by the template of their route: a path could hold a name, and there is no end of them. */
class RequestMetrics {
  private readonly requests;
  private readonly durations;
  private readonly refusals;

  constructor(registry: Registry) {
    const registers = [registry];
    this.requests = new Counter({
      ...{ name: 'bowerbird_http_requests_total', help: 'Requests that were answered, or given up.' },
      labelNames: ['method', 'route', 'status', 'tier'] as const,
      registers,
    });
    this.durations = new Histogram({
      ...{
        name: 'bowerbird_http_request_seconds',
        help: 'From the first byte of the head to the last of the answer.',
      },
      labelNames: ['method', 'route'] as const,
      buckets: DURATIONS,
      registers,
    });
    this.refusals = new Counter({
      ...{
        name: 'bowerbird_http_errors_total',
        help: 'Answers with an error, by its code: budget_exhausted and the like.',
      },
      labelNames: ['code', 'tier'] as const,
      registers,
    });
  }

  readonly note: RequestHandler = (request, response, next) => {
    const beganMs = performance.now();
    response.once('close', () => {
      const tier = tierOf(request);
      const labels = { method: methodOf(request), route: routeTemplateOf(request) };
      this.requests.inc({
        ...labels,
        tier,
        status: response.writableFinished ? response.statusCode : 'aborted',
      });
      this.durations.observe(labels, (performance.now() - beganMs) / 1_000);
      if (request.errorCode !== undefined) this.refusals.inc({ code: request.errorCode, tier });
    });
    next();
  };
}

function methodOf({ method }: Request): string {
  return METHODS.includes(method) ? method : 'other';
}

/** `none`: the request was refused before its caller was known. */
function tierOf({ caller }: Partial<Pick<Request, 'caller'>>): string {
  return caller?.tier.name ?? 'none';
}

/** The route of a request in figures and traces, without the names that its path may hold. `none`: no such address. */
export function routeTemplateOf({ route }: Request): string {
  const { path } = (route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : 'none';
}

/** How long readings are good for: a scrape within this time gets the same ones. */
const KEPT_MS = 5_000;

/** What Prometheus reads of this process and, as far as PostgreSQL knows it, of the installation. */
@Injectable()
export class Metrics implements OnModuleInit, OnModuleDestroy {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  private readonly registry = new Registry();
  readonly requests = new RequestMetrics(this.registry);
  private readonly logger = new Logger(Metrics.name);
  private readonly known = new Gauge({
    name: 'bowerbird_readings_known',
    help: '0 while that group of figures cannot be read, and is missing.',
    labelNames: ['group'] as const,
    registers: [this.registry],
  });
  private groups: readonly Group[] = [];
  private stops: readonly (() => void)[] = [];
  private reading: Promise<void> | null = null;
  private readAtMs = -Infinity;

  constructor(
    private readonly config: Config,
    private readonly discovery: DiscoveryService,
  ) {}

  /** Every provider has been made by now. */
  onModuleInit(): void {
    processRegistry();
    const found = this.discovery.getProviders().map(({ instance }) => instance as unknown);
    const sources = found.filter((one): one is ReadingSource => one instanceof ReadingSource);
    // A room may provide its source in two modules, such as that of the service and that of the worker.
    const byGroup = new Map(sources.map((source) => [source.group, source]));
    this.groups = [...byGroup.values()].map((source) => new Group(source, this.registry));
    const registers = [this.registry];
    this.stops = [...byGroup.values()].flatMap((source) => {
      const stop = source.count?.({
        counter: (configuration) => new Counter({ ...configuration, registers }),
        histogram: (configuration) => new Histogram({ ...configuration, registers }),
      });
      return stop ? [stop] : [];
    });
  }

  onModuleDestroy(): void {
    for (const stop of this.stops) stop();
  }

  /** Whether an Authorization header carries METRICS_TOKEN; compared as digests, in constant time. */
  admits(authorization: string | undefined): boolean {
    const { token } = this.config.metrics;
    const [, shown] = /^Bearer +(\S{1,1000})$/i.exec(authorization ?? '') ?? [];
    return shown !== undefined && token !== undefined && isSame(digestOf(shown), digestOf(token));
  }

  /** The text that Prometheus scrapes. Figures that cannot be read are left out; it never fails for that. */
  async write(): Promise<string> {
    if (!this.reading || performance.now() - this.readAtMs >= KEPT_MS) {
      this.readAtMs = performance.now();
      // Kept for others when the one who asked hangs up.
      this.reading = unscoped(() => this.readAll());
    }
    await this.reading;
    return (await this.registry.metrics()) + (await processRegistry().metrics());
  }

  private async readAll(): Promise<void> {
    for (const group of this.groups) {
      const readings = await group.source.read().catch((error: unknown) => {
        this.logger.warn(`Figures of ${group.source.group} are missing: ${messageOf(error)}`);
        return null;
      });
      this.known.set({ group: group.source.group }, Number(readings !== null));
      group.show(readings ?? []);
    }
  }
}

let ofProcess: Registry | undefined;

/** Once a process: prom-client gives back neither its observer of collections nor its timer of the event loop. */
function processRegistry(): Registry {
  if (!ofProcess) collectDefaultMetrics({ register: (ofProcess = new Registry()) });
  return ofProcess;
}

class Group {
  private readonly gauges: ReadonlyMap<string, { gauge: Gauge; label: string | undefined }>;

  constructor(
    readonly source: ReadingSource,
    registry: Registry,
  ) {
    this.gauges = new Map(
      Object.entries(source.gauges).map(([name, { help, label }]) => {
        const labelNames = label === undefined ? [] : [label];
        const gauge = new Gauge({ name: `bowerbird_${name}`, help, labelNames, registers: [registry] });
        return [name, { gauge, label }];
      }),
    );
  }

  /** A value that was shown before and is not among the readings disappears from the text. */
  show(readings: readonly Reading<string>[]): void {
    for (const { gauge, label } of this.gauges.values()) {
      gauge.reset();
      // Without labels, a reset gauge says 0.
      if (label === undefined) gauge.remove();
    }
    for (const { gauge: name, label: value, value: reading } of readings) {
      const { gauge, label } = this.gauges.get(name) ?? {};
      if (reading !== null) gauge?.set(label && value !== undefined ? { [label]: value } : {}, reading);
    }
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
