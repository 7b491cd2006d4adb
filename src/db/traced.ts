/** What a span may say of the work: never a name, an address or a statement's parameters. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Runs work and reports how long it took. */
type RunTraced = <Result>(
  name: string,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
) => Promise<Result>;

/** A step is a child of the request or run that it belongs to; a run is a trace of its own. */
interface Tracer {
  readonly step: RunTraced;
  readonly run: RunTraced;
}

const direct: RunTraced = (_name, _attributes, work) => work();
const UNTRACED: Tracer = { step: direct, run: direct };
let tracer = UNTRACED;

/** A step of a request or run that gets a span of its own. Without tracing, the work is only run. */
export function traced<Result>(
  name: string,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
): Promise<Result> {
  return tracer.step(name, attributes, work);
}

/** A run of background work, which is a trace of its own. */
export function tracedRun<Result>(
  name: string,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
): Promise<Result> {
  return tracer.run(name, attributes, work);
}

/** Traces every run and step of this process from now on; null stops it. */
export function traceWith(next: Tracer | null): void {
  tracer = next ?? UNTRACED;
}
