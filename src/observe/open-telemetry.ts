import {
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import type { RequestHandler } from 'express';
import { VERSION } from '../config/product.js';
import { routeTemplateOf } from './metrics.js';
import { traceWith } from '../db/traced.js';

/** Spans kept while the collector does not answer; later ones are lost, and no request waits. */
const MAX_QUEUED_SPANS = 2_048;
const EXPORT_TIMEOUT_MS = 5_000;

export interface Tracing {
  /** A middleware: a span a request, under the caller's own where `traceparent` names one. */
  readonly note: RequestHandler;
  /** Sends the spans that wait, as far as the collector takes them. */
  close(): Promise<void>;
}

/** Where traces go, under which name, and how many of them. */
export interface TracingSettings {
  readonly endpoint: string;
  readonly serviceName: string;
  /** Of all traces, 0 to 1. */
  readonly share: number;
}

/** Starts to trace the process. Loaded only where it is set: it takes 0.1 s, and every step of a request a little. */
export function startTracing({ endpoint, serviceName, share }: TracingSettings): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const sampler = new TraceIdRatioBasedSampler(share);
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': VERSION }),
    // Strangers may send traceparent: it cannot ask for more traces than the share, only for fewer.
    sampler: new ParentBasedSampler({
      root: sampler,
      remoteParentSampled: sampler,
      remoteParentNotSampled: new AlwaysOffSampler(),
    }),
    spanProcessors: [
      new BatchSpanProcessor(exporter, {
        maxQueueSize: MAX_QUEUED_SPANS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  provider.register();
  const tracer = provider.getTracer('bowerbird');
  const inSpan = async <Result>(span: Span, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  };
  traceWith({
    // A step outside of requests and runs is no trace: polls for due work would be most of them.
    step: (name, attributes, work) =>
      trace.getActiveSpan() === undefined
        ? work()
        : tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, (span) => inSpan(span, work)),
    run: (name, attributes, work) =>
      tracer.startActiveSpan(name, { kind: SpanKind.INTERNAL, attributes, root: true }, (span) =>
        inSpan(span, work),
      ),
  });
  return {
    note(request, response, next) {
      const caller = propagation.extract(ROOT_CONTEXT, request.headers);
      const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, caller);
      response.once('close', () => {
        const route = routeTemplateOf(request);
        span.updateName(`${request.method} ${route}`);
        span.setAttributes({
          'http.request.method': request.method,
          'http.route': route,
          'http.response.status_code': response.statusCode,
          'bowerbird.request_id': request.requestId,
        });
        if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
      context.with(trace.setSpan(caller, span), next);
    },
    async close() {
      traceWith(null);
      // A collector that is away must not delay the stop: spans that it does not take in time are lost.
      await provider.shutdown().catch(() => undefined);
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}

// The message of an error may hold a name.
function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
}
