import { randomUUID } from 'node:crypto';
import type { ExchangeEvidenceRepository } from '../exchange-evidence.repository.js';
import { type Outcome, refused } from '../port.js';
import { timeOfDatabase } from '../../../db/database-time.js';
import { EppConnection, type EppAddress, isLost, type Lost } from './connection.js';
import { type AuVersion, loginFrame, logoutFrame } from './frames.js';
import { redactFrame } from './redact.js';
import { CODES, outcomeOf, readGreeting, readReply, type Reply } from './replies.js';
import type { SessionSlot, SessionSlots } from './session-slot.repository.js';

export interface EppAccount extends EppAddress {
  /** Of the registrar, in evidence. */
  readonly registrar: string;
  readonly client: string;
  readonly password: string;
  /** Sessions of all instances together. */
  readonly sessions: number;
  /** Of each exchange. */
  readonly timeoutMs: number;
}

type NotDone = Exclude<Outcome<never>, { is: 'done' }>;
/** A session that is logged in, for one piece of work. */
export interface EppSession {
  readonly au: AuVersion;
  /** Sends a frame and reads its reply. @param command its name in the evidence @param clTRID of the attempt */
  send(command: string, frame: string, clTRID: string | null): Promise<Reply | Lost>;
}

/** Kept open this long after its last use. */
const IDLE_MS = 5_000;
/** Uses after which a session ends, so that other instances get the slot. */
const MAX_USES = 500;

interface OpenSession extends EppSession {
  readonly connection: EppConnection;
  readonly slot: SessionSlot;
  uses: number;
}

/** What waited longer is not begun: its order may have been settled by another instance meanwhile. */
const MAX_QUEUED_MS = 30_000;

/** One session of this process at the registry, for one piece of work at a time. */
export class EppClient {
  private session: OpenSession | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private idle: NodeJS.Timeout | undefined;
  /** The writes of evidence under way, in their order; the next exchange does not wait for them. */
  private recorded: Promise<void> = Promise.resolve();

  constructor(
    private readonly account: EppAccount,
    private readonly slots: SessionSlots,
    private readonly evidence: ExchangeEvidenceRepository,
    /** Milliseconds that only grow. */
    private readonly elapsed: () => number = () => performance.now(),
  ) {}

  /** @returns what `work` does, or why no session could be had in time: then nothing was sent */
  async within<T>(work: (session: EppSession) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    let recorded: Promise<void> | undefined;
    const askedAt = this.elapsed();
    const mine = this.last.then(() =>
      this.elapsed() - askedAt > MAX_QUEUED_MS
        ? refused('away', 'queue', 'The work before it took too long.')
        : this.run(work).finally(() => {
            ({ recorded } = this);
          }),
    );
    this.last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      await recorded;
    }
  }

  /** Ends the session once the work before it is done. */
  async close(): Promise<void> {
    clearTimeout(this.idle);
    this.last = this.last.then(() => this.end()).catch(() => undefined);
    await this.last;
    await this.recorded;
  }

  private async run<T>(work: (session: EppSession) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    clearTimeout(this.idle);
    try {
      if (this.session && !(this.session.connection.isOpen && this.session.slot.isHeld)) await this.drop();
      const session = this.session ?? (await this.open());
      if ('is' in session) return session;
      this.session = session;
      session.uses += 1;
      return await work(session);
    } finally {
      if (this.session && this.session.uses >= MAX_USES) await this.end();
      else this.idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }

  private async open(): Promise<OpenSession | NotDone> {
    const { client, password, sessions, timeoutMs } = this.account;
    const slot = await this.slots.take(sessions, timeoutMs);
    if (!slot) return refused('busy', 'slots', 'All sessions are in use.');
    const opened = await EppConnection.open(this.account, timeoutMs);
    if (isLost(opened)) {
      await slot.release();
      return refused('away', opened.lost, opened.detail);
    }
    const { connection } = opened;
    const fail = async (failure: NotDone) => {
      connection.close();
      await slot.release();
      return failure;
    };
    const greeting = readGreeting(opened.greeting);
    if (!greeting) return fail(refused('unsupported', 'greeting', 'No .au extension that we know.'));
    const send: EppSession['send'] = (command, frame, clTRID) =>
      this.exchange(connection, command, frame, clTRID);
    const login = await send(
      'login',
      loginFrame({ client, password }, greeting.objects, greeting.au, newTransactionId()),
      null,
    );
    if (isLost(login)) return fail(refused('away', login.lost, login.detail));
    const outcome = outcomeOf(login, () => true);
    if (outcome.is === 'done') return { au: greeting.au, send, connection, slot, uses: 0 };
    return fail(outcome.is === 'refused' ? outcome : refused('away', String(login.code), login.text));
  }

  private async exchange(
    connection: EppConnection,
    command: string,
    frame: string,
    clTRID: string | null,
  ): Promise<Reply | Lost> {
    const sentAt = timeOfDatabase();
    const from = performance.now();
    const answer = await connection.exchange(frame, this.account.timeoutMs);
    const reply = isLost(answer) ? answer : understood(answer, frame);
    if (isLost(reply)) connection.close();
    const evidence = {
      ...{ registrar: this.account.registrar, clTRID, command, sentAt },
      tookMs: performance.now() - from,
      request: redactFrame(frame),
      reply: isLost(answer) ? null : redactFrame(answer),
      result: isLost(reply) ? reply.lost : String(reply.code),
    };
    this.recorded = this.evidence.record(evidence);
    // After these codes the server ends the session, or has not logged it in.
    if (!isLost(reply) && (reply.code >= 2500 || reply.code === CODES.notNow)) connection.close();
    return reply;
  }

  private async end(): Promise<void> {
    const { session } = this;
    if (session?.connection.isOpen) await session.send('logout', logoutFrame(newTransactionId()), null);
    await this.drop();
  }

  private async drop(): Promise<void> {
    const { session } = this;
    this.session = null;
    session?.connection.close();
    await session?.slot.release();
  }
}

// A reply to another command would settle the wrong attempt.
function understood(answer: string, frame: string): Reply | Lost {
  const reply = readReply(answer);
  const isOurs = reply && (reply.clTRID === null || frame.includes(`<clTRID>${reply.clTRID}</clTRID>`));
  if (isOurs) return reply;
  return { lost: 'no_frame', detail: reply ? 'the reply to another command' : 'not a reply', wasSent: true };
}

export function newTransactionId(): string {
  return `BB-${randomUUID()}`;
}
