import { createHash } from 'node:crypto';

/** A question is asked no more once it has taken this long in all, so that a run with slow engines ends. */
const ENOUGH_MS = 150;

/**
 * Asks every question once to warm up and then `repeats` times, all questions before any comes again.
 *
 * @returns for each question the median time in ms and a hash of the answer's names in order, null when it was given up
 */
export async function askAll(engine, queries, repeats) {
  const answers = [];
  const times = queries.map(() => []);
  let timedOut = 0;
  for (let round = 0; round <= repeats; round += 1) {
    for (const [place, query] of queries.entries()) {
      const spent = times[place].reduce((sum, time) => sum + time, 0);
      if (spent > ENOUGH_MS) continue;
      const start = performance.now();
      const answer = await engine.ask(query);
      times[place].push(performance.now() - start);
      if (answer.timedOut) timedOut += 1;
      if (round === 0) answers.push(answer.timedOut ? null : hashOf(answer.domains));
    }
  }
  return {
    answers,
    times: times.map(([first, ...later]) => round(median(later.length > 0 ? later : [first]))),
    timedOut,
  };
}

export function round(number) {
  return Number(number.toPrecision(3));
}

function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1];
}

function hashOf(domains) {
  return createHash('sha256').update(domains.join('\n')).digest('base64url').slice(0, 16);
}
