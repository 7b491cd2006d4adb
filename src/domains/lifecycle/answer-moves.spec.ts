import { ANSWER_MOVES, judgeAnswer, type KnownName, newDropOf, type ObservedAnswer } from './answer-moves.js';
import { findingOf, REGISTRY_STATES, type RegistryState } from './registry-state.js';
import { STATE_NAMES, type DomainState } from './states.js';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const SECOND_ANSWER_MS = 5 * MINUTE_MS;
const PURGE = new Date('2026-11-20T03:00:00Z');
const after = (minutes: number) => new Date(PURGE.getTime() + minutes * MINUTE_MS);

/** A name as its state usually has it; the purge of listed and purged names is the same one. */
function nameIn(state: DomainState, more: Partial<KnownName> = {}): KnownName {
  const hasList = state === 'listed' || state === 'purged';
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

function answer(
  state: RegistryState,
  checkedAt: Date = after(10),
  registeredAt: Date | null = null,
): ObservedAnswer {
  return { state, source: 'rdap', checkedAt, registeredAt };
}

const judge = (name: KnownName, said: ObservedAnswer) => judgeAnswer(name, said, SECOND_ANSWER_MS);

describe('an answer after the purge', () => {
  // What each state becomes by each answer; with + for an event, ? where a second answer is needed.
  const TABLE: Record<DomainState, Record<RegistryState, string>> = {
    unconfirmed: row('available', 'taken', 'taken', 'unconfirmed'),
    listed: row('available+dropped', 'rescued+rescued', 'rescued+rescued', 'purged'),
    purged: row('available+dropped', 'rescued+rescued', 'rescued+rescued', 'purged'),
    available: row('available', 'taken+taken', 'taken+taken', 'unconfirmed'),
    stale: row('available', 'taken+taken', 'taken+taken', 'unconfirmed'),
    taken: row('taken?', 'taken', 'taken', 'taken'),
    rescued: row('rescued?', 'rescued', 'rescued', 'rescued'),
  };

  function row(
    free: string,
    registered: string,
    onHold: string,
    neither: string,
  ): Record<RegistryState, string> {
    return {
      available: free,
      registered,
      expired_hold: onHold,
      pending_purge: neither,
      pending_delete: neither,
      reserved: neither,
      declined: neither,
    };
  }

  it.each(
    STATE_NAMES.flatMap((from) => REGISTRY_STATES.map((state) => [from, state, TABLE[from][state]] as const)),
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
    expect(judge(nameIn('listed'), answer(state, after(-1)))).toMatchObject({
      to: 'listed',
      event: null,
      confirms: false,
      needsSecondAnswer: false,
    });
  });

  it('that comes late is no news when the purge is over', () => {
    expect(judge(nameIn('purged'), answer('available', after(-1)))).toBeNull();
  });
});

describe('an answer that is not older', () => {
  it('than the one that the row rests on, nor newer, is heard', () => {
    expect(judge(nameIn('available', { checkedAt: after(10) }), answer('registered'))?.to).toBe('taken');
  });

  it('than the purge, nor newer, is one of after the purge', () => {
    expect(judge(nameIn('listed'), answer('available', PURGE))?.to).toBe('available');
  });
});

describe('an older answer', () => {
  it('than the one that the row rests on is no news', () => {
    expect(judge(nameIn('available', { checkedAt: after(11) }), answer('registered'))).toBeNull();
    expect(judge(nameIn('taken', { freeSeenAt: after(11) }), answer('registered'))).toBeNull();
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
    expect(
      judge(nameIn('purged', { listKind }), answer('registered', after(10), registeredAt)),
    ).toMatchObject({ to });
  });

  it('and whose purge nobody knows is rescued', () => {
    const name = nameIn('purged', { purgeAt: null });
    expect(judge(name, answer('registered', after(10), after(5)))?.to).toBe('rescued');
  });

  it('is taken without an event, as nobody was told that it dropped', () => {
    expect(judge(nameIn('purged'), answer('registered', after(10), after(5)))?.event).toBeNull();
  });
});

describe('a name that is free against what was known', () => {
  const taken = nameIn('taken');

  it('waits for a second answer, which is asked for', () => {
    expect(judge(taken, answer('available'))).toMatchObject({
      to: 'taken',
      confirms: false,
      freeSeenAt: after(10),
      askAt: after(15),
      needsSecondAnswer: true,
      isFlip: true,
    });
  });

  it('goes on waiting when it is called free again too soon', () => {
    expect(judge({ ...taken, freeSeenAt: after(10) }, answer('available', after(14)))).toMatchObject({
      to: 'taken',
      freeSeenAt: after(10),
      askAt: after(15),
      isFlip: false,
    });
  });

  it.each(['unconfirmed', 'rescued'] as const)('goes on waiting when it is %s, too', (from) => {
    const name = nameIn(from, { freeSeenAt: after(10), registryState: 'reserved' });
    expect(judge(name, answer('available', after(14)))).toMatchObject({ to: from, askAt: after(15) });
    expect(judge(name, answer('available', after(14)))?.isFlip).toBe(false);
    expect(judge(name, answer('available', after(15)))?.to).toBe('available');
  });

  it('is available, and announced, when it is called free long enough after', () => {
    expect(judge({ ...taken, freeSeenAt: after(10) }, answer('available', after(15)))).toMatchObject({
      to: 'available',
      event: 'domain.dropped',
      confirms: true,
      freeSeenAt: null,
      askAt: null,
    });
  });

  it.each(['registered', 'pending_delete', 'reserved'] as const)(
    'begins anew when it is called %s',
    (state) => {
      expect(judge({ ...taken, freeSeenAt: after(10) }, answer(state, after(12)))).toMatchObject({
        to: 'taken',
        freeSeenAt: null,
      });
    },
  );

  it.each(['pending_purge', 'pending_delete'] as const)(
    'needs no second answer after %s',
    (registryState) => {
      for (const from of ['taken', 'rescued', 'unconfirmed'] as const)
        expect(judge(nameIn(from, { registryState }), answer('available'))).toMatchObject({
          to: 'available',
          event: 'domain.dropped',
        });
    },
  );

  it.each(['reserved', 'declined', 'registered'] as const)('needs one after %s', (registryState) => {
    expect(judge(nameIn('unconfirmed', { registryState }), answer('available'))).toMatchObject({
      to: 'unconfirmed',
      needsSecondAnswer: true,
    });
  });
});

it('a contradiction is one where a name was called free and is held, and not where that was long ago', () => {
  expect(judge(nameIn('available'), answer('registered'))?.isFlip).toBe(true);
  expect(judge(nameIn('stale'), answer('registered'))?.isFlip).toBe(false);
});

describe('events', () => {
  it('are not written of names that the operator withholds', () => {
    expect(judge(nameIn('purged', { hidden: true }), answer('available'))).toMatchObject({
      to: 'available',
      event: null,
    });
    expect(judge(nameIn('purged', { hidden: true }), answer('registered'))?.event).toBeNull();
  });

  it('domain.taken follows on domain.dropped only', () => {
    for (const from of ['available', 'stale', 'unconfirmed'] as const) {
      expect(judge(nameIn(from, { announced: true }), answer('registered'))?.event).toBe('domain.taken');
      expect(judge(nameIn(from, { announced: false }), answer('registered'))?.event).toBeNull();
    }
  });

  it('domain.rescued is written however old the list is', () => {
    for (const newsUntil of [null, after(9)])
      expect(judge(nameIn('purged', { newsUntil }), answer('registered'))?.event).toBe('domain.rescued');
  });

  it('domain.dropped is not written where no list says until when it is news', () => {
    expect(judge(nameIn('purged', { newsUntil: null }), answer('available'))?.event).toBeNull();
  });

  it('domain.dropped is written while the drop is news, and once', () => {
    const old = nameIn('purged', { newsUntil: after(9) });
    expect(judge(old, answer('available'))).toMatchObject({ to: 'available', event: null });
    expect(judge({ ...old, newsUntil: after(10) }, answer('available'))?.event).toBe('domain.dropped');
    const told = nameIn('unconfirmed', { announced: true, newsUntil: after(10_000) });
    expect(judge(told, answer('available'))).toMatchObject({ to: 'available', event: null });
  });
});

describe('a new drop', () => {
  const dropOf = (state: DomainState, over: { announced?: boolean; droppedAt?: Date | null } = {}) => {
    const name = { ...nameIn(state), droppedAt: null, ...over };
    const verdict = judge(name, answer('available'));
    return verdict && newDropOf(name, answer('available'), verdict);
  };

  it('is that of the answer, once, and none of a name that is available already', () => {
    expect(dropOf('purged')).toEqual(answer('available').checkedAt);
    expect(dropOf('available')).toBeNull();
    expect(dropOf('stale')).toBeNull();
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
    expect(judge(nameIn(from), answer(state))?.askAt).toEqual(new Date(after(10).getTime() + waitMs));
  });

  it.each([
    [1, 5],
    [60, 15],
    [100_000, 1_440],
  ])('about a purge that is %d minutes late comes after %d', (minutes, waitMinutes) => {
    expect(judge(nameIn('purged'), answer('pending_purge', after(minutes)))?.askAt).toEqual(
      after(minutes + waitMinutes),
    );
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
