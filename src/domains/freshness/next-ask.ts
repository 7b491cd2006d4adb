import type { OfferedName } from '../lifecycle/lifecycle.js';
import { bandOf, type RateTable } from './rate-table.js';
import { showWeight, daysUntilAsked } from './urgency.js';

const DAY_MS = 86_400_000;

/**
 * What it costs that a name is not offered for a day though it is free, where a day on which one is offered though
 * it is taken costs 1. It misleads no reader, so it is little; without it, half of the names of the lowest band
 * were hidden in the simulation, for want of a question every four months.
 */
const COST_OF_HIDING = 0.001;
/** The shortest time between two questions about a name: an hour. */
const MIN_DAYS_BETWEEN = 1 / 24;
/** The question comes so much before the offer ends, for the queue may run late. */
const SHARE_OF_OFFER = 0.95;

/**
 * The moment at which another question about the name is worth one of the installation's few turns. A name whose
 * drop time is unknown is treated as new, so it is asked about soonest.
 *
 * @param threshold the current one
 * @param offerMaxAgeDays after which a name that was not asked about is no longer offered; Infinity: never
 */
export function nextAskAt(
  name: OfferedName,
  rates: RateTable,
  threshold: number,
  offerMaxAgeDays = Infinity,
): Date {
  const age = ageInDays(name, name.checkedAt);
  const days = daysToNextQuestion(rates, bandOf(name.wayback), age, threshold, offerMaxAgeDays);
  return new Date(name.checkedAt.getTime() + Math.round(days * DAY_MS));
}

/** The same in days, from the last answer on. @param ageDays of the name at that answer, since its drop */
export function daysToNextQuestion(
  rates: RateTable,
  band: number,
  ageDays: number,
  threshold: number,
  offerMaxAgeDays: number,
): number {
  const days = Math.max(MIN_DAYS_BETWEEN, daysUntilAsked(rates, band, ageDays, threshold));
  const isWorthOffering = showWeight(band) * offerMaxAgeDays * COST_OF_HIDING >= threshold;
  return isWorthOffering ? Math.min(days, offerMaxAgeDays * SHARE_OF_OFFER) : days;
}

/** How old the name is at that time, since its drop. */
export function ageInDays({ droppedAt, checkedAt }: OfferedName, at: Date): number {
  return (at.getTime() - (droppedAt ?? checkedAt).getTime()) / DAY_MS;
}
