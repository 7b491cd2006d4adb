/** Works it out when it is first asked for, and keeps it: what the first answer of a service does not need is not waited for at its start. */
export function once<Value extends object | string>(work: () => Value): () => Value {
  let kept: Value | undefined;
  return () => (kept ??= work());
}

/** The same of work that takes its time. What failed is tried again by who asks next. */
export function onceDone<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let kept: Promise<Value> | undefined;
  return () =>
    (kept ??= work().catch((error: unknown) => {
      kept = undefined;
      throw error;
    }));
}
