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
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { RequestHandler } from 'express';
import { routeTemplateOf } from './metrics.js';
import { type RunTraced, traceWith } from '../db/traced.js';

/** Spans kept while the collector does not answer; later ones are lost, and no request waits. */
const MAX_QUEUED_SPANS = 2_048;
const EXPORT_TIMEOUT_MS = 5_000;

export interface Tracing {
  /** A middleware: a span a request, under the caller's own where `traceparent` names one. */
  readonly note: RequestHandler;
  /** Sends the spans that wait, as far as the collector takes them. */
  close(): Promise<void>;
}

/** Starts to trace the process. Loaded only where it is set: it takes 0.1 s, and every step of a request a little. */
export function startTracing(endpoint: string): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new NodeTracerProvider({
    spanProcessors: [
      new BatchSpanProcessor(exporter, {
        maxQueueSize: MAX_QUEUED_SPANS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  provider.register();
  const tracer = provider.getTracer('bowerbird');
  const run: RunTraced = (name, attributes, work) =>
    tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      try {
        return await work();
      } catch (error) {
        fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    });
  traceWith(run);
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
