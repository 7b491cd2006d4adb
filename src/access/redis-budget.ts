import { randomUUID } from 'node:crypto';
import { accountOf, type Caller } from './caller.js';
import type { RedisConnection } from '../redis/redis-connection.js';
import {
  BudgetClock,
  BudgetStore,
  type Grant,
  type Reservation,
  RESERVATION_SECONDS,
} from './budget-store.js';
import type { BudgetCounts } from './budget-window.js';
import { BoundedMap } from '../validation/caches.js';

/** One run of the script; see the operations of budget.repository.ts. */
interface Wish {
  readonly what: 'charge' | 'begin' | 'end' | 'draw' | 'close';
  readonly records: number;
  readonly reservation?: string;
  readonly seconds?: number;
}

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

  async charge(caller: Caller, records: number): Promise<Grant> {
    return (await this.count(caller, { what: 'charge', records })) ?? this.otherwise.charge(caller, records);
  }

  async reserve(caller: Caller, records: number, seconds = RESERVATION_SECONDS): Promise<Reservation> {
    const id = IN_REDIS + randomUUID();
    const grant = await this.count(caller, { what: 'begin', records, reservation: id, seconds });
    if (!grant) return this.otherwise.reserve(caller, records, seconds);
    this.charged.set(id, 0);
    const settle = async (used: number) => {
      this.charged.delete(id);
      const counted = await this.count(caller, { what: 'end', records: used, reservation: id });
      return counted ?? this.otherwise.charge(caller, used);
    };
    return { ...grant, id, settle };
  }

  /**
   * After a failure the next total includes the missed records; if the last call fails, PostgreSQL charges them. A
   * process that took over the work of another does not know their number and charges none, so nothing is charged
   * twice.
   */
  async draw(caller: Caller, reservation: string, total: number, isLast: boolean): Promise<Grant> {
    if (!reservation.startsWith(IN_REDIS)) return this.otherwise.draw(caller, reservation, total, isLast);
    const what = isLast ? 'close' : 'draw';
    const drawn = await this.count(caller, { what, records: total, reservation });
    const charged = this.charged.get(reservation);
    if (isLast) this.charged.delete(reservation);
    else if (drawn && charged !== undefined) this.charged.set(reservation, total);
    if (drawn) return drawn;
    const missed = isLast && charged !== undefined ? Math.max(0, total - charged) : 0;
    if (missed > 0) return this.otherwise.charge(caller, missed);
    return { ...(await this.otherwise.read(caller)), granted: 0 };
  }

  async read(caller: Caller): Promise<BudgetCounts> {
    return (await this.count(caller, { what: 'charge', records: 0 })) ?? this.otherwise.read(caller);
  }

  /** Null if Redis does not count this caller now. After a lost connection it is unknown whether Redis counted. */
  private async count(
    caller: Caller,
    { what, records, reservation = '', seconds = 0 }: Wish,
  ): Promise<Grant | null> {
    const { ageMs, client } = this.redis;
    const { id, tier } = caller;
    if (tier.quota || accountOf(caller) !== null || ageMs === null) return null;
    const moment = this.clock.at?.getTime() ?? '';
    const limits = [Math.floor(ageMs), tier.recordsPerMinute];
    const counted = await (client as typeof client & CountRecords)
      .countRecords(`records:${id}`, moment, ...limits, records, what, reservation, seconds)
      // The connection logs it.
      .catch(() => null);
    if (!counted) return null;
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

interface CountRecords {
  countRecords(key: string, ...values: unknown[]): Promise<readonly [number, number, number, number] | null>;
}

/**
 * The operations of budget.repository.ts for one window. Redis runs one script at a time, so together they never grant
 * more than the minute has.
 *
 * The key has fields for the minute, the records used, and each reservation: its records, those charged, and its end.
 * ARGV: moment in milliseconds, or nothing for Redis's clock; age of the server in milliseconds; limit of the minute;
 * records; operation; its reservation; its seconds.
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
  local what, id, own, spent, own_ends = ARGV[5], ARGV[6], nil, 0, nil
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

  local granted
  if what == 'draw' or what == 'close' then
    granted = own and math.max(0, math.min(tonumber(ARGV[4]), own) - spent) or 0
  else
    granted = math.max(0, math.min(tonumber(ARGV[4]), ARGV[3] - used - reserved))
  end
  if what ~= 'begin' then used = used + granted end
  if what == 'begin' and granted > 0 then
    reserved = reserved + granted
    redis.call('HSET', KEYS[1], id, string.format('%d 0 %d', granted, now + ARGV[7] * 1000))
  elseif what == 'draw' and own then
    reserved = reserved + own - spent - granted
    redis.call('HSET', KEYS[1], id, string.format('%d %d %s', own, spent + granted, own_ends))
  elseif own then
    redis.call('HDEL', KEYS[1], id)
  end
  redis.call('HSET', KEYS[1], 'minute', string.format('%d', minute), 'used', used)
  -- The key lives as long as its longest reservation.
  local lasting = math.max(tonumber(ARGV[7]), ${RESERVATION_SECONDS}) + ${RESERVATION_SECONDS}
  redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), lasting * 1000))
  return { math.max(now, minute), used, reserved, granted }`;
