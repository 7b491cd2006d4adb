import { Get, Header, Query, UseGuards } from '@nestjs/common';
import type { Metered } from '../../access/rate.dto.js';
import { RecordBudget } from '../../access/record-budget.js';
import { Tiers } from '../../config/tiers.js';
import type { Account } from '../../accounts/accounts.service.js';
import {
  type UsageHistory,
  daysBefore,
  MAX_DAYS,
  UsageHistoryService,
} from '../../api/usage/usage.module.js';
import { Clock } from '../../db/database.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { drawStacks, MAX_PARTS } from '../layout/charts.js';
import { counted, fillIn, grouped, t } from '../../texts/texts.js';
import { dayInWords, timeView } from '../layout/words.js';
import { callerOf, FormPages, SessionGuard, SignedIn } from './form-pages.js';
import { definePage } from './page.js';
import { calendarDateOf } from '../../domains/schema/calendar-date.js';

const OTHERS = t.profile.otherKeys;
const WITHOUT_KEY = t.profile.withoutKey;

const usagePage = definePage('usage', { title: t.profile.titles.usage, section: '/profile/usage' });

@FormPages()
@UseGuards(SessionGuard)
export class UsageController {
  constructor(
    private readonly history: UsageHistoryService,
    private readonly budget: RecordBudget,
    private readonly tiers: Tiers,
    private readonly clock: Clock,
  ) {}

  @Get('profile/usage')
  async show(@SignedIn() account: Account, @Query() _: NoParameters): Promise<string> {
    const [history, left, now] = await Promise.all([
      this.history.readHistory(account.id, {}),
      this.budget.read(callerOf(account, this.tiers.table)),
      this.clock.now(),
    ]);
    return showUsage(history, left, now);
  }

  @Get('profile/usage.csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  @Header('Content-Disposition', 'attachment; filename="bowerbird-usage.csv"')
  async download(@SignedIn() { id }: Account, @Query() _: NoParameters): Promise<string> {
    const to = calendarDateOf(await this.clock.now());
    return this.history.writeHistory(id, { from: daysBefore(to, MAX_DAYS - 1), to });
  }
}

interface Part {
  readonly id: string;
  readonly name: string;
  readonly records: number;
}

function showUsage(history: UsageHistory, left: Metered, now: Date): string {
  const parts = partsOf(history);
  const shown = shownOf(parts);
  const bars = daysOf(history).map((day) => ({
    day,
    label: labelOf(day),
    parts: partsOn(day, history, shown),
  }));
  const ids = shown.map(({ id }) => id);
  const range = { from: dayInWords(history.from), to: dayInWords(history.to) };
  const words = fillIn(t.profile.usageChart, { ...range, total: history.records });
  return usagePage({
    meters: metersOf(left, now),
    total: totalOf(history, bars),
    chart: history.records === 0 ? '' : drawStacks(bars, ids, words),
    legend: shown.map(({ name }, place) => ({ name, place })),
    keys: parts.map(({ name, records }) => ({ name, records: grouped(records) })),
    days: bars
      .map(({ day, parts: on }) => ({
        day: dayInWords(day),
        records: grouped(Object.values(on).reduce((sum, one) => sum + one, 0)),
      }))
      .reverse(),
  });
}

/** The use of each budget, the longest period first. */
function metersOf({ rate, quota }: Metered, now: Date): object[] {
  const meter = (period: 'minute' | 'hour' | 'month', limit: number, remaining: number) => {
    const used = Math.max(0, limit - remaining);
    const words = fillIn(t.keys.usedOf, { used, limit });
    return {
      title: t.keys.thisPeriod[period],
      words,
      used,
      limit,
      label: fillIn(t.keys.usedLabel, { words }),
    };
  };
  const resets = quota && { text: t.keys.fullAgain, when: timeView(new Date(quota.resets_at), now) };
  return [
    ...(quota ? [{ ...meter(quota.period, quota.limit, quota.remaining), rest: resets }] : []),
    { ...meter('minute', rate.limit_per_min, rate.remaining), rest: null },
  ];
}

function totalOf(
  { records }: UsageHistory,
  bars: readonly { readonly day: string; readonly parts: Readonly<Record<string, number>> }[],
): string {
  const sums = bars.map(({ day, parts }) => ({
    day,
    sum: Object.values(parts).reduce((sum, one) => sum + one, 0),
  }));
  const [busiest] = sums.toSorted((one, other) => other.sum - one.sum);
  const total = counted(records, 'record');
  return fillIn(t.keys.busiest, { total, day: labelOf(busiest?.day ?? ''), most: busiest?.sum ?? 0 });
}

/** Charged keys, highest charge first. */
function partsOf({ results }: UsageHistory): Part[] {
  const parts = new Map<string, Part>();
  for (const { key_id, key_name, records } of results) {
    const id = key_id ?? WITHOUT_KEY;
    const name =
      key_id === null ? WITHOUT_KEY : (key_name ?? fillIn(t.profile.removedKey, { id: key_id.slice(0, 8) }));
    parts.set(id, { id, name, records: (parts.get(id)?.records ?? 0) + records });
  }
  return [...parts.values()].sort((one, other) => other.records - one.records);
}

/** One part a shade; the last shade is for all other keys. */
function shownOf(parts: readonly Part[]): Part[] {
  if (parts.length <= MAX_PARTS) return [...parts];
  const others = parts.slice(MAX_PARTS - 1);
  const records = others.reduce((sum, part) => sum + part.records, 0);
  return [...parts.slice(0, MAX_PARTS - 1), { id: OTHERS, name: OTHERS, records }];
}

function partsOn(day: string, { results }: UsageHistory, shown: readonly Part[]): Record<string, number> {
  const parts: Record<string, number> = {};
  for (const { records, key_id } of results.filter((one) => one.day === day)) {
    const id = key_id ?? WITHOUT_KEY;
    const part = shown.some((one) => one.id === id) ? id : OTHERS;
    parts[part] = (parts[part] ?? 0) + records;
  }
  return parts;
}

function daysOf({ from, to }: UsageHistory): string[] {
  const days = [to];
  for (let day = to; day > from;) {
    day = daysBefore(day, 1);
    days.unshift(day);
  }
  return days;
}

const labelOf = (day: string) => dayInWords(day).replace(/ \d{4}$/, '');
