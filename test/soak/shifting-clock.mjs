// Loaded before the service: its clock jumps an hour ahead and two back, and 400 days ahead and back, a step at each SIGWINCH.
const RealDate = Date;
const HOUR_MS = 3_600_000;
const DAYS_MS = 400 * 24 * HOUR_MS;
const JUMPS_MS = [HOUR_MS, -2 * HOUR_MS, HOUR_MS, DAYS_MS, -DAYS_MS];
let offsetMs = 0;
let jumps = 0;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offsetMs);
    else super(...given);
  }

  static now() {
    return RealDate.now() + offsetMs;
  }
};

// Nest ends a process at SIGUSR2 and its like.
process.on('SIGWINCH', () => {
  offsetMs += JUMPS_MS[jumps % JUMPS_MS.length];
  jumps += 1;
});
