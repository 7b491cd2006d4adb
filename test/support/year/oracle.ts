import type { Answer } from './server.js';
import type { Listing } from './world.js';

/** What is told of a name, and what it is in the end. */
export interface Life {
  /** `listed`, `dropped`, `taken` or `rescued`, and when. */
  readonly events: readonly { readonly type: string; readonly at: Date }[];
  readonly state: string;
}

/** An event never has an earlier time than the one before it, and an import takes its time. */
const MAX_EVENT_DELAY_MS = 60_000;

/** Whether a life as it was told is this one. */
export function isSameLife(told: Life, meant: Life): boolean {
  return (
    told.state === meant.state &&
    told.events.length === meant.events.length &&
    told.events.every(({ type, at }, place) => {
      const event = meant.events[place];
      const delayMs = at.getTime() - (event?.at.getTime() ?? NaN);
      return type === event?.type && delayMs >= 0 && delayMs <= MAX_EVENT_DELAY_MS;
    })
  );
}

/** Something that was observed: a listing, at the time of the import, or an answer. */
type Step = { readonly at: number } & ({ readonly listing: Listing } | { readonly answer: Answer });

/** A name whose purge is only about at that time may be registered so long before. */
const APPROXIMATE_MS = 30 * 60_000;

/**
 * The lives that a name may have had, from what was said of it: more than one where a process was killed with an answer
 * in its hands, or where a list and an answer came at the same moment.
 *
 * @param listedAt when each of the listings was taken in
 */
export function possibleLives(
  listings: readonly Listing[],
  listedAt: readonly number[],
  answers: readonly Answer[],
): Life[] {
  const taken = listings.map((listing, place) => ({ at: listedAt[place] ?? NaN, listing }));
  return choices(answers).flatMap((written) => {
    const said = written.map((answer) => ({ at: answer.at, answer }));
    // The sort is stable: of what is of one moment the first stays first.
    const orders = [
      [...taken, ...said],
      [...said, ...taken],
    ];
    return orders.map((steps) => lifeOf(steps.sort((one, other) => one.at - other.at)));
  });
}

/** Every way in which those that may be lost are lost or not. */
function choices(answers: readonly Answer[]): Answer[][] {
  return answers.reduce<Answer[][]>(
    (ways, answer) => [
      ...ways.map((way) => [...way, answer]),
      ...(answer.isPerhapsLost ? ways.map((way) => [...way]) : []),
    ],
    [[]],
  );
}

/** The table of moves in the words of a list of names and what became of them. */
function lifeOf(steps: readonly Step[]): Life {
  const events: { type: string; at: Date }[] = [];
  let state = 'new';
  let isAnnounced = false;
  let purge: Listing | null = null;
  const tell = (type: string, at: number) => events.push({ type, at: new Date(at) });

  for (const step of steps) {
    if ('listing' in step) {
      if (isAnnounced) tell('taken', step.at);
      tell('listed', step.at);
      [state, isAnnounced, purge] = ['listed', false, step.listing];
      continue;
    }
    const { at, truth } = step.answer;
    if (!purge || at < purge.purgeAt) {
      if (state === 'listed' || state === 'new') continue;
    } else if (state === 'listed') state = 'purged';
    switch (truth.said) {
      case 'pending':
        if (state === 'available') state = 'unconfirmed';
        break;
      case 'free':
        if (!isAnnounced) tell('dropped', at);
        [state, isAnnounced] = ['available', true];
        break;
      case 'held':
        if (state === 'purged' && !isSincePurge(purge, truth.registeredAt)) {
          tell('rescued', at);
          state = 'rescued';
        } else if (state !== 'rescued') {
          if (isAnnounced) tell('taken', at);
          [state, isAnnounced] = ['taken', false];
        }
        break;
      default:
        truth satisfies never;
    }
  }
  return { events, state };
}

function isSincePurge(purge: Listing | null, registeredAt: number | null): boolean {
  if (!purge || registeredAt === null) return false;
  return registeredAt >= purge.purgeAt - (purge.kind === 'deleted' ? 0 : APPROXIMATE_MS);
}
