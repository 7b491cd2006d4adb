/** What a span may say of the work: never a name, an address or a statement's parameters. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Runs work and reports how long it took, under whatever work called it. */
export type RunTraced = <Result>(
  name: string,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
) => Promise<Result>;

const direct: RunTraced = (_name, _attributes, work) => work();
let run = direct;

/** A step of a request that is worth a span of its own. Without tracing it is only done. */
export function traced<Result>(
  name: string,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
): Promise<Result> {
  return run(name, attributes, work);
}

/** Has all steps of the process traced from now on, or with null no more. */
export function traceWith(tracer: RunTraced | null): void {
  run = tracer ?? direct;
}
