/** What a span may say of the work: never a name, an address or a statement's parameters. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Runs work and reports how long it took, as a child of the step that called it. */
export type RunTraced = <Result>(
  name: string,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
) => Promise<Result>;

const direct: RunTraced = (_name, _attributes, work) => work();
let run = direct;

/** A step of a request that gets a span of its own. Without tracing, the work is only run. */
export function traced<Result>(
  name: string,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
): Promise<Result> {
  return run(name, attributes, work);
}

/** Traces every step of this process from now on; null stops it. */
export function traceWith(tracer: RunTraced | null): void {
  run = tracer ?? direct;
}
