/** Works it out when it is first asked for, and keeps it: what the first answer of a service does not need is not waited for at its start. */
export function once<Value extends object | string>(work: () => Value): () => Value {
  let kept: Value | undefined;
  return () => (kept ??= work());
}
