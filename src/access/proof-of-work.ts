import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { Config } from '../config/config.js';
import { Clock } from '../db/database.js';
import { ApiError } from '../errors/api-error.js';
import { type CounterFactory, type Reading, ReadingSource } from '../observe/readings.js';
import { SharedCounters } from '../redis/redis.module.js';
import type { Caller } from './caller.js';
import { LIMITS } from './limits.js';
import { ListSecretRepository } from './list-cursors.repository.js';

/**
 * Leading zero bits that a digest must have, in each of so many parts: some 260,000 digests in all, one to two seconds
 * on a phone. The time for a single part of 18 bits would vary threefold.
 */
const BITS = 15;
const PARTS = 8;
/** Pages for which one ticket is good, and for how long. */
const { most: PAGES_PER_TICKET, seconds: LIFETIME_SECONDS } = LIMITS.ticketPages;
/** A browser without scripts waits this long; each further ticket of the network doubles it. */
const FIRST_WAIT_SECONDS = 5;
const MAX_WAIT_SECONDS = 60;

const COOKIE = 'bowerbird_work';
const IN_COOKIES = new RegExp(`(?:^|; )${COOKIE}=([\\w.-]+)`);

/** What a browser shows as proof of work: a ticket, and the answer to its task if it has solved it. */
export function passIn({ cookie }: IncomingHttpHeaders): string | undefined {
  return IN_COOKIES.exec(cookie ?? '')?.[1];
}

/** Seconds since 1970, by PostgreSQL's clock. */
interface Times {
  /** From now on it is good without an answer. */
  readonly readyAt: number;
  readonly endsAt: number;
}

interface Ticket extends Times {
  /** Without an answer. */
  readonly text: string;
  readonly nonce: string;
  readonly answer: string | undefined;
}

/** Nonce, times, signature, and the answer. */
const PASS = /^((\w{20})\.(\d{10})\.(\d{10}))\.([\w-]{22})(?:\.([\w-]+))?$/;

/** With spaces, which no cursor of a list has: the secret is the same. */
const signedOf = (callerId: string, body: string) => `proof of work ${callerId} ${body}`;

/** A page is shown once the browser has worked for it, or waited. */
export class WorkRequired extends ApiError {
  readonly bits = BITS;
  readonly parts = PARTS;

  /** @param ticket the task: for each part a number, with which the digest of `nonce.part.number` is small */
  constructor(
    readonly ticket: string,
    readonly network: string,
    waitSeconds: number,
  ) {
    super('too_many_requests', `The network ${network} has read many list pages in ten minutes.`, {
      retryAfterSeconds: waitSeconds,
      // As <meta http-equiv="refresh"> does.
      headers: { Refresh: String(waitSeconds) },
    });
  }

  /** The script adds its answer to the cookie. */
  override headersFor({ secure }: Request): Readonly<Record<string, string>> {
    const attributes = `Path=/; Max-Age=${LIFETIME_SECONDS}; SameSite=Lax${secure ? '; Secure' : ''}`;
    return { ...this.headers, 'Set-Cookie': `${COOKIE}=${this.ticket}; ${attributes}` };
  }
}

type Outcome = 'asked' | 'answered' | 'waited';

/**
 * Asks browsers of a busy network for proof of work before its share is used up. A ticket belongs to one address, for a
 * few pages, which count in the shares as others do.
 */
@Injectable()
export class ProofOfWork extends ReadingSource<never> {
  readonly group = 'proof_of_work';
  readonly gauges = {};
  private readonly logger = new Logger('Networks');
  private readonly mode: Config['networks']['proofOfWork'];
  /** Pages shown for a ticket, by nonce, and tickets by network. */
  private readonly uses: RateLimiterAbstract;
  private readonly tickets: RateLimiterAbstract;
  private counted: { inc(labels: { outcome: Outcome }): void } | null = null;

  constructor(
    { networks }: Config,
    counters: SharedCounters,
    private readonly secret: ListSecretRepository,
    private readonly clock: Clock,
  ) {
    super();
    this.mode = networks.proofOfWork;
    this.uses = counters.tally('ticket_uses', LIFETIME_SECONDS);
    this.tickets = counters.tally('network_tickets', LIFETIME_SECONDS);
  }

  async read(): Promise<Reading<never>[]> {
    return [];
  }

  override count({ counter }: CounterFactory): () => void {
    this.counted = counter({
      name: 'bowerbird_proofs_of_work_total',
      help: 'List pages of busy networks: asked for proof of work, shown for an answer, shown after a wait.',
      labelNames: ['outcome'],
    });
    return () => (this.counted = null);
  }

  /**
   * @param network that is busy
   * @throws {WorkRequired} unless the caller has a ticket that is answered or old enough, and not used up
   * @throws {DatabaseUnavailable}
   */
  async assertShown({ id, pass }: Caller, network: string): Promise<void> {
    if (this.mode === 'off') return;
    if (this.mode === 'observe') {
      this.note('asked');
      this.logger.warn(`${network} is busy; with PROOF_OF_WORK=on this page would want proof of work`);
      return;
    }
    const now = Math.floor((await this.clock.now()).getTime() / 1_000);
    const known = await this.open(id, pass, now);
    const outcome = known && (isAnswered(known) ? 'answered' : known.readyAt <= now ? 'waited' : null);
    if (known && outcome && (await this.use(known))) {
      this.note(outcome);
      return;
    }
    this.note('asked');
    // The wait goes on where another page is opened meanwhile.
    const ticket = known && !outcome ? known : await this.issue(id, network, now);
    throw new WorkRequired(ticket.text, network, Math.max(1, ticket.readyAt - now));
  }

  /** @returns null for a ticket that has ended, is not ours or belongs to another address */
  private async open(callerId: string, pass: string | undefined, now: number): Promise<Ticket | null> {
    const [, body = '', nonce = '', readyAt, endsAt, proof = '', answer] = PASS.exec(pass ?? '') ?? [];
    if (body === '' || Number(endsAt) <= now) return null;
    if (!(await this.secret.isSigned(signedOf(callerId, body), proof))) return null;
    return { text: `${body}.${proof}`, nonce, readyAt: Number(readyAt), endsAt: Number(endsAt), answer };
  }

  private async use({ nonce }: Ticket): Promise<boolean> {
    const { consumedPoints } = await this.uses.penalty(nonce, 1);
    return consumedPoints <= PAGES_PER_TICKET;
  }

  private async issue(
    callerId: string,
    network: string,
    now: number,
  ): Promise<Pick<Ticket, 'text' | 'readyAt'>> {
    const { consumedPoints } = await this.tickets.penalty(network, 1);
    const readyAt = now + Math.min(MAX_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** (consumedPoints - 1));
    const body = `${randomBytes(10).toString('hex')}.${readyAt}.${now + LIFETIME_SECONDS}`;
    return { text: `${body}.${await this.secret.sign(signedOf(callerId, body))}`, readyAt };
  }

  private note(outcome: Outcome): void {
    this.counted?.inc({ outcome });
  }
}

function isAnswered({ nonce, answer = '' }: Ticket): boolean {
  const numbers = answer.split('-');
  return (
    numbers.length === PARTS &&
    numbers.every((number, part) => {
      const digest = hash('sha256', `${nonce}.${part}.${number}`, 'buffer');
      return Math.clz32(digest.readUInt32BE()) >= BITS;
    })
  );
}
