import { ANSWER_MOVES, judgeAnswer, type KnownName, newDropOf, type ObservedAnswer } from './answer-moves.js';
import {
  findingOf,
  REGISTRY_STATES,
  type RegistryState,
  STATE_NAMES,
  type DomainState,
} from '../schema/states.js';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const SECOND_ANSWER_MS = 5 * MINUTE_MS;
const PURGE = new Date('2026-11-20T03:00:00Z');
const after = (minutes: number) => new Date(PURGE.getTime() + minutes * MINUTE_MS);

/** A name as its state usually has it; the purge of names with a list is the same one. */
function nameIn(state: DomainState, more: Partial<KnownName> = {}): KnownName {
  const hasList = ['listed', 'delisted', 'purged'].includes(state);
  return {
    state,
    checkedAt: ['available', 'stale', 'taken', 'rescued'].includes(state) ? after(-10_000) : null,
    registryState: null,
    freeSeenAt: null,
    listKind: hasList ? 'deleted' : null,
    purgeAt: hasList ? PURGE : null,
    newsUntil: hasList ? after(7 * 1_440) : null,
    announced: state === 'available' || state === 'stale',
    hidden: false,
    ...more,
  };
}

function answer(state: RegistryState, checkedAt = after(10)): ObservedAnswer {
  return { state, source: 'rdap', checkedAt, registeredAt: null };
}

const judge = (name: KnownName, said: ObservedAnswer) => judgeAnswer(name, said, SECOND_ANSWER_MS);
const calledFree = (name: KnownName, checkedAt?: Date) => judge(name, answer('available', checkedAt));
const calledRegistered = (name: KnownName, registeredAt: Date | null = null) =>
  judge(name, { ...answer('registered'), registeredAt });

describe('an answer after the purge', () => {
  // What each state becomes when it is called free, held, or neither; with + for an event, ? where a second answer
  // is needed.
  const TABLE: Record<DomainState, readonly [free: string, held: string, neither: string]> = {
    unconfirmed: ['available', 'taken', 'unconfirmed'],
    listed: ['available+dropped', 'rescued+rescued', 'purged'],
    delisted: ['available+dropped', 'rescued+rescued', 'purged'],
    purged: ['available+dropped', 'rescued+rescued', 'purged'],
    available: ['available', 'taken+taken', 'unconfirmed'],
    stale: ['available', 'taken+taken', 'unconfirmed'],
    taken: ['taken?', 'taken', 'taken'],
    rescued: ['rescued?', 'rescued', 'rescued'],
  };
  const COLUMNS: Record<RegistryState, 0 | 1 | 2> = {
    ...{ available: 0, registered: 1, expired_hold: 1 },
    ...{ pending_purge: 2, pending_delete: 2, reserved: 2, declined: 2 },
  };

  it.each(
    STATE_NAMES.flatMap((from) =>
      REGISTRY_STATES.map((state) => [from, state, TABLE[from][COLUMNS[state]]] as const),
    ),
  )('a name that is %s and called %s is %s', (from, state, expected) => {
    const verdict = judge(nameIn(from), answer(state));
    const event = verdict?.event?.replace('domain.', '+') ?? '';
    const rests = ['available', 'taken', 'rescued'].includes(verdict?.to ?? '');
    // Of a name that stays as it is only an answer that says the same is one to rest on.
    const says = from !== verdict?.to || findingOf(state) === (verdict.to === 'available' ? 'free' : 'held');
    expect(verdict?.confirms).toBe(rests && says);
    expect(`${verdict?.to}${event}${verdict?.needsSecondAnswer ? '?' : ''}`).toBe(expected);
  });
});

describe('an answer before the purge', () => {
  it.each(REGISTRY_STATES)('%s leaves a listed name as it is', (state) => {
    const same = { to: 'listed', event: null, confirms: false, needsSecondAnswer: false };
    expect(judge(nameIn('listed'), answer(state, after(-1)))).toMatchObject(same);
  });

  it.each(REGISTRY_STATES)(
    '%s leaves a delisted name as it is, to be asked about after its purge',
    (state) => {
      const same = {
        to: 'delisted',
        event: null,
        confirms: false,
        needsSecondAnswer: false,
        nextCheckAt: PURGE,
      };
      expect(judge(nameIn('delisted'), answer(state, after(-1)))).toMatchObject(same);
    },
  );

  it('that comes late is no news when the purge is over', () => {
    expect(calledFree(nameIn('purged'), after(-1))).toBeNull();
  });
});

describe('an answer', () => {
  it('as old as the one that the row rests on is heard', () => {
    expect(calledRegistered(nameIn('available', { checkedAt: after(10) }))?.to).toBe('taken');
  });

  it('as old as the purge is one of after the purge', () => {
    expect(calledFree(nameIn('listed'), PURGE)?.to).toBe('available');
  });

  it('older than the one that the row rests on is no news', () => {
    expect(calledRegistered(nameIn('available', { checkedAt: after(11) }))).toBeNull();
    expect(calledRegistered(nameIn('taken', { freeSeenAt: after(11) }))).toBeNull();
  });
});

describe('a purged name that is registered', () => {
  it.each([
    ['deleted', after(0), 'taken'],
    ['deleted', after(5), 'taken'],
    ['deleted', after(-1), 'rescued'],
    ['expired', after(-30), 'taken'],
    ['expired', after(-31), 'rescued'],
    [null, after(-30), 'taken'],
    ['deleted', null, 'rescued'],
  ] as const)('and was listed as %s, registered at %p, is %s', (listKind, registeredAt, to) => {
    expect(calledRegistered(nameIn('purged', { listKind }), registeredAt)?.to).toBe(to);
  });

  it('and whose purge nobody knows is rescued', () => {
    expect(calledRegistered(nameIn('purged', { purgeAt: null }), after(5))?.to).toBe('rescued');
  });

  it('waits for a day where the availability service alone calls it not available', () => {
    const said = { ...answer('registered'), source: 'availability_service' };
    const late = { ...said, checkedAt: after(1_440) };
    expect(judge(nameIn('purged'), said)).toMatchObject({
      ...{ to: 'purged', event: null, confirms: false, nextCheckAt: after(15) },
    });
    expect(judge(nameIn('purged'), late)?.to).toBe('rescued');
  });

  it('is taken without an event, as nobody was told that it dropped', () => {
    expect(calledRegistered(nameIn('purged'), after(5))?.event).toBeNull();
  });
});

describe('a name that is free against what was known', () => {
  const taken = nameIn('taken');

  it('waits for a second answer, which is asked for', () => {
    const waits = { to: 'taken', confirms: false, freeSeenAt: after(10), nextCheckAt: after(15) };
    expect(calledFree(taken)).toMatchObject({ ...waits, needsSecondAnswer: true, isFlip: true });
  });

  it('goes on waiting when it is called free again too soon', () => {
    const waits = { to: 'taken', freeSeenAt: after(10), nextCheckAt: after(15), isFlip: false };
    expect(calledFree({ ...taken, freeSeenAt: after(10) }, after(14))).toMatchObject(waits);
  });

  it.each(['unconfirmed', 'rescued'] as const)('goes on waiting when it is %s, too', (from) => {
    const name = nameIn(from, { freeSeenAt: after(10), registryState: 'reserved' });
    expect(calledFree(name, after(14))).toMatchObject({ to: from, nextCheckAt: after(15), isFlip: false });
    expect(calledFree(name, after(15))?.to).toBe('available');
  });

  it('is available, and announced, when it is called free long enough after', () => {
    expect(calledFree({ ...taken, freeSeenAt: after(10) }, after(15))).toMatchObject({
      to: 'available',
      event: 'domain.dropped',
      confirms: true,
      freeSeenAt: null,
      nextCheckAt: null,
    });
  });

  it.each(['registered', 'pending_delete', 'reserved'] as const)('begins anew when called %s', (state) => {
    const verdict = judge({ ...taken, freeSeenAt: after(10) }, answer(state, after(12)));
    expect(verdict).toMatchObject({ to: 'taken', freeSeenAt: null });
  });

  it.each(['pending_purge', 'pending_delete'] as const)('needs no second answer after %s', (said) => {
    for (const from of ['taken', 'rescued', 'unconfirmed'] as const) {
      const verdict = calledFree(nameIn(from, { registryState: said }));
      expect(verdict).toMatchObject({ to: 'available', event: 'domain.dropped' });
    }
  });

  it.each(['reserved', 'declined', 'registered'] as const)('needs one after %s', (registryState) => {
    const verdict = calledFree(nameIn('unconfirmed', { registryState }));
    expect(verdict).toMatchObject({ to: 'unconfirmed', needsSecondAnswer: true });
  });
});

it('a contradiction is one where a name was called free and is held, and not where that was long ago', () => {
  expect(calledRegistered(nameIn('available'))?.isFlip).toBe(true);
  expect(calledRegistered(nameIn('stale'))?.isFlip).toBe(false);
});

describe('events', () => {
  it('are not written of names that the operator withholds', () => {
    const name = nameIn('purged', { hidden: true });
    expect(calledFree(name)).toMatchObject({ to: 'available', event: null });
    expect(calledRegistered(name)?.event).toBeNull();
  });

  it('domain.taken follows on domain.dropped only', () => {
    for (const from of ['available', 'stale', 'unconfirmed'] as const) {
      expect(calledRegistered(nameIn(from, { announced: true }))?.event).toBe('domain.taken');
      expect(calledRegistered(nameIn(from, { announced: false }))?.event).toBeNull();
    }
  });

  it.each([
    ['on the last day', 30 * 1_440, 'domain.rescued'],
    ['later than that', 30 * 1_440 + 1, null],
  ])('domain.rescued is written within 30 days of the purge date: %s', (_, minutes, event) => {
    const verdict = judgeAnswer(nameIn('purged'), answer('registered', after(minutes)), SECOND_ANSWER_MS);
    expect(verdict).toMatchObject({ to: 'rescued', event });
  });

  it('domain.rescued is not written where no list gives the purge date', () => {
    const name = nameIn('purged', { purgeAt: null, newsUntil: null });
    expect(calledRegistered(name)).toMatchObject({ to: 'rescued', event: null });
  });

  it('domain.rescued does not depend on how long a drop would be news', () => {
    for (const newsUntil of [null, after(9)])
      expect(calledRegistered(nameIn('purged', { newsUntil }))?.event).toBe('domain.rescued');
  });

  it('domain.dropped is not written where no list says until when it is news', () => {
    expect(calledFree(nameIn('purged', { newsUntil: null }))?.event).toBeNull();
  });

  it('domain.dropped is written while the drop is news, and once', () => {
    const old = nameIn('purged', { newsUntil: after(9) });
    expect(calledFree(old)).toMatchObject({ to: 'available', event: null });
    expect(calledFree({ ...old, newsUntil: after(10) })?.event).toBe('domain.dropped');
    const told = nameIn('unconfirmed', { announced: true, newsUntil: after(10_000) });
    expect(calledFree(told)).toMatchObject({ to: 'available', event: null });
  });
});

describe('a new drop', () => {
  const dropOf = (state: DomainState, over: { announced?: boolean; droppedAt?: Date | null } = {}) => {
    const name = { ...nameIn(state), droppedAt: null, ...over };
    const verdict = calledFree(name);
    return verdict && newDropOf(name, answer('available'), verdict);
  };

  it('is that of the answer, once, and none of a name that is available already', () => {
    expect(dropOf('purged')).toEqual(answer('available').checkedAt);
    expect(dropOf('available')).toBeNull();
    expect(dropOf('stale')).toBeNull();
    const [purged, registered] = [{ ...nameIn('purged'), droppedAt: null }, answer('registered')];
    const verdict = judge(purged, registered);
    expect(verdict && newDropOf(purged, registered, verdict)).toBeNull();
    expect(dropOf('unconfirmed', { announced: true, droppedAt: after(0) })).toBeNull();
    expect(dropOf('unconfirmed', { announced: true })).toEqual(answer('available').checkedAt);
  });
});

describe('the next question', () => {
  it.each([
    ['unconfirmed', 'pending_delete', DAY_MS],
    ['available', 'pending_purge', DAY_MS],
    ['stale', 'reserved', 7 * DAY_MS],
    ['unconfirmed', 'declined', 7 * DAY_MS],
  ] as const)('about a name that is %s and called %s comes after %d ms', (from, state, waitMs) => {
    expect(judge(nameIn(from), answer(state))?.nextCheckAt).toEqual(new Date(after(10).getTime() + waitMs));
  });

  it.each([
    [1, 5],
    [60, 15],
    [100_000, 1_440],
  ])('about a purge that is %d minutes late comes after %d', (minutes, waitMinutes) => {
    const verdict = judge(nameIn('purged'), answer('pending_purge', after(minutes)));
    expect(verdict?.nextCheckAt).toEqual(after(minutes + waitMinutes));
  });
});

it('the table has a move for every state and every finding', () => {
  const findings = [...new Set(REGISTRY_STATES.map(findingOf))];
  const missing = STATE_NAMES.flatMap((state) =>
    findings.filter(
      (finding) => !ANSWER_MOVES.some((move) => move.from.includes(state) && move.finding === finding),
    ),
  );
  expect(missing).toEqual([]);
});
