import { showWeight } from '../../src/domains/freshness/next-ask.js';
import { Offers } from './offers.js';
import type { MakePolicy, Policy } from './policies.js';
import type { Population, Scale } from './population.js';

const OFFER_MAX_AGE_DAYS = 120;

/** Shares from 0 to 1. */
export interface Figures {
  /** Of what is shown, what is false, at the end of each day. */
  readonly falseByDay: readonly number[];
  /** Of what is offered at the end, what nobody asked about for longer than the operator allows: of the names, and as shown. */
  readonly hidden: { readonly names: number; readonly shown: number };
}

/** Lets a policy spend the questions of some months in a world. */
export function simulate(population: Population, scale: Scale, makePolicy: MakePolicy): Figures {
  const offers = new Offers(population, scale.days);
  const policy = makePolicy(population, offers);
  const add = (name: number) => {
    offers.add(name);
    policy.add(name, Math.max(0, population.droppedDay[name] ?? 0));
  };
  for (let name = 0; name < scale.names; name += 1) add(name);
  const falseByDay: number[] = [];
  for (let day = 0; day < scale.days; day += 1) {
    const first = scale.names + day * scale.dropsPerDay;
    for (let name = first; name < first + scale.dropsPerDay; name += 1) add(name);
    policy.spendDay(day, scale.questionsPerDay);
    falseByDay.push(offers.endDay());
  }
  return { falseByDay, hidden: countHidden(population, offers, policy, scale.days) };
}

/** The mean of the days from `from` on, which leaves out how the policy found its feet. */
export function meanFrom(from: number, { falseByDay }: Figures): number {
  const days = falseByDay.slice(from);
  return days.reduce((sum, share) => sum + share, 0) / days.length;
}

function countHidden(
  { size, band }: Population,
  offers: Offers,
  policy: Policy,
  now: number,
): Figures['hidden'] {
  let [names, hiddenNames, shown, hiddenShown] = [0, 0, 0, 0];
  for (let name = 0; name < size; name += 1) {
    if (!offers.has(name)) continue;
    const weight = showWeight(band[name] ?? 0);
    names += 1;
    shown += weight;
    if (now - policy.lastAsked(name) <= OFFER_MAX_AGE_DAYS) continue;
    hiddenNames += 1;
    hiddenShown += weight;
  }
  return { names: hiddenNames / names, shown: hiddenShown / shown };
}
