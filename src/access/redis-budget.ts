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

/** What a run of the script is to do, and with which reservation; see budget.repository.ts. */
interface Wish {
  readonly what: 'charge' | 'begin' | 'end' | 'draw' | 'close';
  readonly records: number;
  readonly reservation?: string;
  readonly seconds?: number;
}

/** Reservations that are remembered; each is a bulk check or a request under way. */
const MAX_TOLD = 10_000;
/** How the ids of reservations begin that Redis holds. */
const IN_REDIS = 'redis:';

/**
 * The minute of callers without an account, in Redis. Those with one are written to PostgreSQL whatever happens, by a statement that
 * counts their usage and their minute as well; and while Redis is away everybody is.
 *
 * A minute that began before the server did is left to PostgreSQL, as the server has forgotten what it had counted of it. So there
 * are two counts of a minute at most, each of which grants what the minute holds.
 */
export class RedisBudget extends BudgetStore {
  /** Of the reservations that this process has begun, how much Redis was told is used. */
  private readonly told = new BoundedMap<string, number>(MAX_TOLD);

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
    this.told.set(id, 0);
    const settle = async (used: number) => {
      this.told.delete(id);
      const counted = await this.count(caller, { what: 'end', records: used, reservation: id });
      return counted ?? this.otherwise.charge(caller, used);
    };
    return { ...grant, id, settle };
  }

  /**
   * What Redis cannot be told now it is told with the next total, and of the last one PostgreSQL what Redis was not told. Who has
   * gone on for another process does not know how much that is, and charges nothing then: nothing is charged twice.
   */
  async draw(caller: Caller, reservation: string, total: number, isLast: boolean): Promise<Grant> {
    if (!reservation.startsWith(IN_REDIS)) return this.otherwise.draw(caller, reservation, total, isLast);
    const what = isLast ? 'close' : 'draw';
    const drawn = await this.count(caller, { what, records: total, reservation });
    const told = this.told.get(reservation);
    if (isLast) this.told.delete(reservation);
    else if (drawn && told !== undefined) this.told.set(reservation, total);
    if (drawn) return drawn;
    const untold = isLast && told !== undefined ? Math.max(0, total - told) : 0;
    if (untold > 0) return this.otherwise.charge(caller, untold);
    return { ...(await this.otherwise.read(caller)), granted: 0 };
  }

  async read(caller: Caller): Promise<BudgetCounts> {
    return (await this.count(caller, { what: 'charge', records: 0 })) ?? this.otherwise.read(caller);
  }

  /** Null where this is not for Redis to count now. What is lost on the way to it may have been counted: nobody can know. */
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
      // The connection has said so.
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
 * What the statements in PostgreSQL do (budget.repository.ts), for one window. Redis runs one script at a time, so the sum of
 * what they grant is never more than the minute holds.
 *
 * The key holds the minute, what is used of it, and a field for each reservation: its records, what of them is charged, and when it
 * ends. ARGV: moment in milliseconds, or nothing for Redis's own; age of the server in milliseconds; limit of the minute; records;
 * what is done, with which reservation, for how many seconds
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
  -- A clock that steps back stays in the window that was begun.
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
  -- What is held for long keeps the key for as long.
  local lasting = math.max(tonumber(ARGV[7]), ${RESERVATION_SECONDS}) + ${RESERVATION_SECONDS}
  redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), lasting * 1000))
  return { math.max(now, minute), used, reserved, granted }`;
