import { faultIn } from './faults.js';
import type { RecordLine } from './registrar.js';
import type { StormWorld } from './world.js';

const MINUTE_SECONDS = 60;
/** Of each group, the most seconds that an order of it may take. */
const GROUPS = {
  // From when the registrar could say it, it and the service being there:
  registered: MINUTE_SECONDS,
  lost: MINUTE_SECONDS,
  refused: MINUTE_SECONDS,
  renewed: MINUTE_SECONDS,
  givenBack: MINUTE_SECONDS,
  /** From the message. */
  pending: MINUTE_SECONDS,
  /** Registered by a registrar without messages, which is asked every minute. */
  pendingAsked: 2 * MINUTE_SECONDS,
  /** "No such name", from when it was placed, or pending and gone without a message. */
  none: 20 * MINUTE_SECONDS,
} as const;
type Group = keyof typeof GROUPS;

export interface EndedOrder {
  readonly domain: string;
  readonly state: string;
  readonly placedAt: Date;
  readonly settledAt: Date | null;
  /** When it was sent last; null: never, or each time the registrar was busy. */
  readonly sentAt: Date | null;
  readonly sends: number;
  /** The order whose name it renews. */
  readonly renews: string | null;
}

/** When the registrars' records say of a name what they say, by the service's clock in milliseconds. */
interface Said {
  fault?: number;
  name?: number;
  renewed?: number;
  gone?: number;
  message?: number;
}

/** How long orders took to their end; `wrong`: those that nothing explains. `late`: those that took too long. */
export function timesOf(
  world: StormWorld,
  orders: readonly EndedOrder[],
  lines: readonly RecordLine[],
): { wrong: string[]; late: string[]; groups: Record<string, object> } {
  const said = saidIn(world, lines);
  const times: { group: Group; domain: string; seconds: number; sinceReturn: number }[] = [];
  const wrong: string[] = [];
  for (const order of orders) {
    const { domain, state, settledAt, sends } = order;
    const end = settledAt?.getTime() ?? Infinity;
    const isRescued = faultIn(domain) === 'stays';
    if (settledAt === null || isRescued || (state === 'cancelled' && faultIn(domain) !== 'givenback'))
      continue;
    const others = orders.filter((one) => one.domain === domain && one !== order && !one.renews);
    const ends = others.map((one) => one.settledAt?.getTime() ?? Infinity);
    const freeAt = order.renews ? -Infinity : Math.max(...ends.filter((at) => at < end));
    const winner = others.find((one) => one.state === 'registered')?.settledAt?.getTime();
    // A run that began before the winner's end may have seen it.
    const overtakenAt = winner && Math.min(end, winner);
    const note = (group: Group, from: number) => {
      const since = group === 'none' ? from : Math.max(from, ...returnsWithin(world, from, end));
      times.push({ group, domain, seconds: (end - from) / 1_000, sinceReturn: (end - since) / 1_000 });
    };
    if (sends > 1) note('none', Math.max(order.placedAt.getTime(), freeAt));
    const stated = statementOf(order, said.get(domain) ?? {}, overtakenAt);
    if (stated) note(stated.group, stated.at);
    else if (sends < 2 || state !== 'failed') wrong.push(`${domain} is ${state}, and no registrar said so`);
  }
  times.sort((one, other) => other.sinceReturn - one.sinceReturn);
  const groups = Object.entries(GROUPS).map(([group, limit]) => {
    const all = times.filter((one) => one.group === group);
    const most = (of: readonly number[]) => (of.length === 0 ? null : Math.max(...of));
    const longest = most(all.map(({ seconds }) => seconds));
    return [group, { orders: all.length, sinceReturn: all[0]?.sinceReturn ?? null, longest, limit }];
  });
  const late = times
    .filter(({ group, sinceReturn }) => sinceReturn > GROUPS[group])
    .map(({ group, domain, sinceReturn }) => `${domain} (${group}) took ${sinceReturn} s`);
  return { wrong, late, groups: Object.fromEntries(groups) as Record<string, object> };
}

type NameLine = Extract<RecordLine, { is: 'name' }>;

export function isRenewal({ name: before }: NameLine, { name }: NameLine): boolean {
  return before.clTRID === name.clTRID && String(name.expiresAt) > String(before.expiresAt);
}

function saidIn(world: StormWorld, lines: readonly RecordLine[]): ReadonlyMap<string, Said> {
  const said = new Map<string, Said>();
  const names = new Map<string, NameLine>();
  for (const line of lines) {
    const domain = line.is === 'message' ? line.message.name : 'domain' in line ? line.domain : null;
    if (domain === null) continue;
    const before = names.get(domain);
    const what = line.is === 'name' && before && isRenewal(before, line) ? 'renewed' : line.is;
    if (line.is === 'name') names.set(domain, line);
    said.set(domain, { ...said.get(domain), [what]: world.serviceTime(line.at) });
  }
  return said;
}

/** When the registrar could say first what the order's end is; undefined: it never could. */
function statementOf(
  { domain, state, sentAt, sends, renews }: EndedOrder,
  { fault, name, renewed, gone, message }: Said,
  overtakenAt: number | undefined,
): { group: Group; at: number } | undefined {
  const first = (group: Group, at: number | undefined) => (at === undefined ? undefined : { group, at });
  const decided = faultIn(domain) === (state === 'registered' ? 'pendingdone' : 'pendingrefused');
  switch (state) {
    case 'cancelled':
      return first('givenBack', gone);
    case 'registered':
      if (renews) return first('renewed', renewed);
      if (!decided) return first('registered', name);
      return first(message ? 'pending' : 'pendingAsked', message ?? name);
    case 'lost':
      // Another order has it, or somebody had it when this one was sent.
      if (sentAt === null) return first('lost', overtakenAt);
      return first('lost', name && Math.max(name, sentAt.getTime()));
    default:
      if (decided && gone !== undefined) return first(message ? 'pending' : 'none', message ?? gone);
      return faultIn(domain) === 'policy' && sends < 2 ? first('refused', fault) : undefined;
  }
}

/** When something that was away came back, between the two. */
function returnsWithin({ away, serviceTime }: StormWorld, from: number, end: number): number[] {
  return away
    .map((one) => ({ from: serviceTime(one.from), to: serviceTime(one.to) }))
    .filter((one) => one.from < end && one.to > from && one.to < end)
    .map(({ to }) => to);
}
