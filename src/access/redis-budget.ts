import { randomUUID } from 'node:crypto';
import { accountOf, type Caller } from './caller.js';
import type { RedisConnection } from '../redis/redis.module.js';
import {
  BudgetClock,
  BudgetStore,
  type Grant,
  HOLD_SECONDS,
  type Holder,
  type Reservation,
  type Settlement,
} from './budget-store.js';
import type { BudgetCounts } from './budget-window.js';
import { BoundedMap } from '../validation/caches.js';

/** One run of the script: the settlement of a hold, or a draw of a reservation. */
type Run =
  | {
      readonly what: 'settle';
      readonly id: string;
      readonly settlement: Omit<Settlement, 'caller'>;
      readonly seconds: number;
    }
  | { readonly what: 'draw'; readonly id: string; readonly total: number; readonly kept: number };

/** Redis does not count this caller now. */
const ELSEWHERE = 'elsewhere';
/** The connection was lost, so it is unknown whether Redis has counted. */
const UNKNOWN = 'unknown';

/** Remembered reservations; each is a bulk check or a request in progress. */
const MAX_REMEMBERED = 10_000;
/** The prefix of reservations in Redis. */
const IN_REDIS = 'redis:';

/**
 * The minute of callers without an account, in Redis. Callers with an account, and all callers while Redis is
 * unavailable, are counted in PostgreSQL, by the statement that also counts usage.
 *
 * A minute that began before the Redis server started is counted in PostgreSQL, since the server has lost its count. So
 * a minute has two counts at most, and each grants one minute's records.
 */
export class RedisBudget extends BudgetStore {
  /** Records that Redis has charged, by reservation of this process. */
  private readonly charged = new BoundedMap<string, number>(MAX_REMEMBERED);

  constructor(
    private readonly redis: Pick<RedisConnection, 'client' | 'ageMs'>,
    private readonly otherwise: BudgetStore,
    private readonly clock: BudgetClock,
  ) {
    super();
    redis.client.defineCommand('countRecords', { numberOfKeys: 1, lua: COUNT });
  }

  async settle(holder: Holder, settlements: readonly Settlement[]): Promise<Grant[]> {
    const counted = await Promise.all(
      settlements.map(({ caller, ...settlement }) =>
        this.count(caller, { what: 'settle', id: holder.id, settlement, seconds: HOLD_SECONDS }),
      ),
    );
    const others = settlements.flatMap((settlement, place) => {
      if (counted[place] === ELSEWHERE) return [settlement];
      // What Redis may have charged is not charged again.
      return counted[place] === UNKNOWN ? [{ ...settlement, sent: 0, grantedAt: null }] : [];
    });
    const grants = others.length > 0 ? await this.otherwise.settle(holder, others) : [];
    return counted.map((grant) => {
      const found = typeof grant === 'string' ? grants.shift() : grant;
      if (!found) throw new Error('a settlement has a grant');
      return found;
    });
  }

  async reserve(caller: Caller, records: number, seconds: number): Promise<Reservation> {
    const id = IN_REDIS + randomUUID();
    const settlement = { sent: 0, grantedAt: null, held: 0, wanted: records };
    const grant = await this.count(caller, { what: 'settle', id, settlement, seconds });
    if (typeof grant === 'string') return this.otherwise.reserve(caller, records, seconds);
    this.charged.set(id, 0);
    return { ...grant, id };
  }

  /**
   * After a failure the next total includes the missed records; if the last call fails, PostgreSQL charges them. A
   * process that took over the work of another does not know their number and charges none, so nothing is charged
   * twice.
   */
  async draw(caller: Caller, reservation: string, total: number, kept: number): Promise<Grant> {
    if (!reservation.startsWith(IN_REDIS)) return this.otherwise.draw(caller, reservation, total, kept);
    const drawn = await this.count(caller, { what: 'draw', id: reservation, total, kept });
    const isCounted = typeof drawn !== 'string';
    const charged = this.charged.get(reservation);
    const isLast = kept <= total;
    if (isLast) this.charged.delete(reservation);
    else if (isCounted && charged !== undefined) this.charged.set(reservation, total);
    if (isCounted) return drawn;
    const sent = isLast && charged !== undefined ? Math.max(0, total - charged) : 0;
    const counts = await this.otherwise.read(caller);
    if (sent === 0) return { ...counts, granted: 0 };
    const missed = { caller, sent, grantedAt: counts.now, held: 0, wanted: 0 };
    const [grant] = await this.otherwise.settle({ id: reservation, turn: 1 }, [missed]);
    return { ...(grant ?? counts), granted: sent };
  }

  async read(caller: Caller): Promise<BudgetCounts> {
    const settlement = { sent: 0, grantedAt: null, held: 0, wanted: 0 };
    const counts = await this.count(caller, { what: 'settle', id: '', settlement, seconds: 0 });
    return typeof counts === 'string' ? this.otherwise.read(caller) : counts;
  }

  private async count(
    { id: caller, tier, ...who }: Caller,
    run: Run,
  ): Promise<Grant | typeof ELSEWHERE | typeof UNKNOWN> {
    const { ageMs, client } = this.redis;
    if (tier.quota || accountOf({ id: caller, tier, ...who }) !== null || ageMs === null) return ELSEWHERE;
    const moment = this.clock.at?.getTime() ?? '';
    const limits = [Math.floor(ageMs), tier.recordsPerMinute];
    const counted = await (client as typeof client & CountRecords)
      .countRecords(`records:${caller}`, moment, ...limits, run.what, run.id, ...numbersOf(run))
      // The connection logs it. What Redis refuses, as when it is full, it has not counted.
      .catch((error: unknown) => (error instanceof Error && error.name === 'ReplyError' ? null : UNKNOWN));
    if (counted === UNKNOWN) return UNKNOWN;
    if (counted === null || typeof counted === 'string') return ELSEWHERE;
    const [now, used, reserved, granted] = counted;
    return {
      now: new Date(now),
      minuteUsed: used,
      period: 'minute',
      periodUsed: used,
      reserved,
      granted,
    };
  }
}

function numbersOf(run: Run): number[] {
  if (run.what === 'draw') return [run.total, Math.min(run.kept, Number.MAX_SAFE_INTEGER), 0, 0, 0];
  const { sent, grantedAt, held, wanted } = run.settlement;
  return [sent, grantedAt?.getTime() ?? 0, held, wanted, run.seconds];
}

interface CountRecords {
  countRecords(key: string, ...values: unknown[]): Promise<readonly [number, number, number, number] | null>;
}

/**
 * The statements of budget.repository.ts for one window. Redis runs one script at a time, so together they never grant
 * more than the minute has.
 *
 * The key has fields for the minute, the records used, and each reservation: its records, those charged, and its end.
 * ARGV: moment in milliseconds, or nothing for Redis's clock; age of the server in milliseconds; limit of the minute;
 * operation; its reservation; of a settlement the records sent, when they were granted, held and wanted, and the
 * seconds of the hold; of a draw the records charged in all and the records it keeps.
 */
const COUNT = `
  local now = tonumber(ARGV[1])
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  if now % 60000 >= tonumber(ARGV[2]) then return false end

  local minute, used, reserved = now - now % 60000, 0, 0
  local row = redis.call('HGETALL', KEYS[1])
  local known = {}
  for place = 1, #row, 2 do known[row[place]] = row[place + 1] end
  -- After the clock steps back, the current window goes on.
  if known.minute and tonumber(known.minute) >= minute then
    minute, used = tonumber(known.minute), tonumber(known.used)
  end
  local limit, what, id = tonumber(ARGV[3]), ARGV[4], ARGV[5]
  local own, spent, own_ends = nil, 0, nil
  for field, value in pairs(known) do
    local records, charged, ends = value:match('^(%d+) (%d+) (%d+)$')
    if not records then
      -- minute and used
    elseif tonumber(ends) <= now then
      redis.call('HDEL', KEYS[1], field)
    elseif field == id then
      own, spent, own_ends = tonumber(records), tonumber(charged), ends
    else
      reserved = reserved + records - charged
    end
  end

  local granted, lasting = 0, ${HOLD_SECONDS}
  if what == 'draw' then
    local kept = own and math.min(own, tonumber(ARGV[7])) or 0
    granted = own and math.max(0, math.min(tonumber(ARGV[6]), own) - spent) or 0
    used, spent = used + granted, spent + granted
    if kept > spent then
      redis.call('HSET', KEYS[1], id, string.format('%d %d %s', kept, spent, own_ends))
      reserved = reserved + kept - spent
    elseif own then
      redis.call('HDEL', KEYS[1], id)
    end
  else
    local held, wanted = tonumber(ARGV[8]), tonumber(ARGV[9])
    -- Records count in the minute in which they were granted.
    if tonumber(ARGV[7]) >= minute then used = used + ARGV[6] end
    granted = math.max(0, math.min(wanted, limit - used - reserved - held))
    held = held + granted
    reserved = reserved + held
    lasting = math.max(lasting, ARGV[10])
    if held > 0 then
      redis.call('HSET', KEYS[1], id, string.format('%d 0 %d', held, now + ARGV[10] * 1000))
    elseif own then
      redis.call('HDEL', KEYS[1], id)
    end
  end
  redis.call('HSET', KEYS[1], 'minute', string.format('%d', minute), 'used', used)
  -- The key lives as long as its longest reservation.
  redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), (lasting + ${HOLD_SECONDS}) * 1000))
  return { math.max(now, minute), used, reserved, granted }`;
