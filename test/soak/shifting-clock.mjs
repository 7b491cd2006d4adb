// Loaded before the service: its clock jumps an hour ahead, two back and one ahead again, a step at each SIGWINCH.
const RealDate = Date;
const JUMPS_MS = [3_600_000, -7_200_000, 3_600_000];
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
