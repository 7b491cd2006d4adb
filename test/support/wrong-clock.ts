const DAY_MS = 86_400_000;

/** Sets the clock of this process so many days off; the database's stays right, and timers run. */
export function setClock(days: number): void {
  jest.useFakeTimers({
    now: Date.now() + days * DAY_MS,
    doNotFake: [
      ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
      ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
    ],
  });
}
