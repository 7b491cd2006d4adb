import { randomUUID } from 'node:crypto';
import type { Caller } from '../../auth/caller.js';
import type { RedisConnection } from '../../redis/redis-connection.js';
import { BudgetClock } from './budget-clock.js';
import { BudgetStore, type Reservation, RESERVATION_SECONDS } from './budget-store.js';
import type { BudgetCounts } from './budget-window.js';
import type { Grant } from './charges.js';

/** What a run of the script is to do; ids are of reservations. */
interface Wish {
  readonly records: number;
  readonly begins?: string;
  readonly ends?: string;
}

/**
 * The minute of callers who have no longer budget, in Redis. Those with an hour or a month are written to PostgreSQL whatever
 * happens, by a statement that counts their minute as well; and while Redis is away everybody is.
 *
 * A minute that began before the server did is left to PostgreSQL, as the server has forgotten what it had counted of it. So there
 * are two counts of a minute at most, each of which grants what the minute holds.
 */
export class RedisBudget extends BudgetStore {
  constructor(
    private readonly redis: Pick<RedisConnection, 'client' | 'ageMs'>,
    private readonly otherwise: BudgetStore,
    private readonly clock: BudgetClock,
  ) {
    super();
    redis.client.defineCommand('countRecords', { numberOfKeys: 1, lua: COUNT });
  }

  async charge(caller: Caller, records: number): Promise<Grant> {
    return (await this.count(caller, { records })) ?? this.otherwise.charge(caller, records);
  }

  async reserve(caller: Caller, records: number): Promise<Reservation> {
    const id = randomUUID();
    const grant = await this.count(caller, { records, begins: id });
    if (!grant) return this.otherwise.reserve(caller, records);
    const settle = async (used: number) =>
      (await this.count(caller, { records: used, ends: id })) ?? this.otherwise.charge(caller, used);
    return { ...grant, settle };
  }

  async read(caller: Caller): Promise<BudgetCounts> {
    return (await this.count(caller, { records: 0 })) ?? this.otherwise.read(caller);
  }

  /** Null where this is not for Redis to count now. What is lost on the way to it may have been counted: nobody can know. */
  private async count(
    { id, tier }: Caller,
    { records, begins = '', ends = '' }: Wish,
  ): Promise<Grant | null> {
    const { ageMs, client } = this.redis;
    if (tier.quota || ageMs === null) return null;
    const moment = this.clock.at?.getTime() ?? '';
    const limits = [Math.floor(ageMs), tier.recordsPerMinute];
    const counted = await (client as typeof client & CountRecords)
      .countRecords(`records:${id}`, moment, ...limits, records, begins, ends)
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
 * The key holds the minute, what is used of it, and a field for each reservation: its records and when it ends.
 * ARGV: moment in milliseconds, or nothing for Redis's own; age of the server in milliseconds; limit of the minute; records;
 * id of a reservation to begin, or nothing; id of one to end, or nothing
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
  for field, value in pairs(known) do
    local records, ends = value:match('^(%d+) (%d+)$')
    if not records then
      -- minute and used
    elseif field == ARGV[6] or tonumber(ends) <= now then
      redis.call('HDEL', KEYS[1], field)
    else
      reserved = reserved + records
    end
  end

  local granted = math.max(0, math.min(tonumber(ARGV[4]), ARGV[3] - used - reserved))
  if ARGV[5] == '' then
    used = used + granted
  elseif granted > 0 then
    reserved = reserved + granted
    redis.call('HSET', KEYS[1], ARGV[5], string.format('%d %d', granted, now + ${RESERVATION_SECONDS * 1000}))
  end
  redis.call('HSET', KEYS[1], 'minute', string.format('%d', minute), 'used', used)
  redis.call('PEXPIRE', KEYS[1], ${2 * RESERVATION_SECONDS * 1000})
  return { math.max(now, minute), used, reserved, granted }`;
