import {
  Injectable,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { RequestHandler } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Config } from '../config/config.js';
import { OutageLogger } from '../errors/outage.js';
import { networkOf } from '../observe/audit.repository.js';
import { BoundedMap } from '../validation/caches.js';
import { networkAround, readAddress, readWrittenNetwork } from '../validation/networks.js';
import { messageOf } from '../validation/unknown-values.js';
import { ProcessTimers } from '../work/process-timers.js';
import { PASSES, Refusal } from './admission.js';
import {
  addressBehindProxies,
  addressOfCaller,
  type Caller,
  callerIdOfAddress,
  chargedKeyOf,
  trustOf,
} from './caller.js';
import { NetworkRepository, type NetworkVerdict, type Taken } from './network.repository.js';

/** How often each process reads the rules, and writes who took how much. */
const EVERY_MS = 10_000;
/** Prefix lengths of rules, the narrowest first; wider networks have too many people in them. */
const BITS = { ipv4: { most: 32, least: 24 }, ipv6: { most: 64, least: 32 } } as const;

/**
 * A network in canonical form; an address alone is the network that counts as one caller.
 *
 * @returns null for invalid text, or a prefix length outside BITS
 */
export function readNetwork(text: string): string | null {
  const written = readWrittenNetwork(text.trim());
  if (!written) return null;
  const { most, least } = BITS[written.address.kind()];
  const bits = written.bits ?? most;
  return bits < least || bits > most ? null : networkAround(written.address, bits);
}

interface Rule {
  readonly verdict: NetworkVerdict;
  readonly endsAt: Date;
  /** By performance.now(): the clock of the process may be wrong. */
  readonly endsAtMs: number;
}

/** The rules of operators about networks, in memory: a request reads no table. The narrowest rule decides. */
@Injectable()
export class NetworkRules implements OnApplicationBootstrap {
  private readonly logger = new Logger('Networks');
  private rules = new Map<string, Rule>();
  /** Prefix lengths that some rule has, the longest first. */
  private bits: readonly number[] = [];

  constructor(private readonly repository: NetworkRepository) {}

  onApplicationBootstrap(): Promise<void> {
    return this.refresh();
  }

  /** Never throws: while the database is away, the rules of the last read hold until they end. */
  async refresh(): Promise<void> {
    try {
      const readAtMs = performance.now();
      const rules = await this.repository.listRules();
      this.rules = new Map(
        rules.map(({ network, verdict, endsAt, leftMs }) => [
          network,
          { verdict, endsAt, endsAtMs: readAtMs + leftMs },
        ]),
      );
      this.bits = [...new Set(rules.map(({ network }) => Number(network.split('/')[1])))].sort(
        (one, other) => other - one,
      );
    } catch (error) {
      this.logger.warn(`Rules about networks were not read: ${messageOf(error)}`);
    }
  }

  /** The rule that holds for an address; null where none does. */
  find(address: string | undefined): Rule | null {
    if (this.rules.size === 0) return null;
    const parsed = readAddress(address);
    if (!parsed) return null;
    const { most, least } = BITS[parsed.kind()];
    for (const bits of this.bits) {
      const rule = bits > most || bits < least ? undefined : this.rules.get(networkAround(parsed, bits));
      if (rule && performance.now() < rule.endsAtMs) return rule;
    }
    return null;
  }

  /** Whether an operator has excepted the address from the shares of networks. */
  allows(address: string | undefined): boolean {
    return this.find(address)?.verdict === 'allow';
  }

  get isEmpty(): boolean {
    return this.rules.size === 0;
  }
}

type Measure = Exclude<keyof Taken, 'taker'>;

/** Takers kept between two writes; the least recently seen go first. */
const MAX_TAKERS = 5_000;
/** Takers written each time, by each measure; others take little. */
const MAX_WRITTEN = 100;
/** Callers whose network is not worked out yet, which takes longer than to refuse them. */
const MAX_AT_DOOR = 5_000;
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 429]);

/**
 * Counts what networks, accounts and keys take, so that operators see who takes most. Addresses are not kept: callers
 * without an account count as their /24 or /48.
 */
@Injectable()
export class Takers implements OnApplicationShutdown {
  private readonly outage = new OutageLogger(new Logger('Networks'), 'Who takes how much is not written');
  private taken = new BoundedMap<string, { -readonly [Name in Measure]: number }>(MAX_TAKERS);
  private readonly atDoor = new Map<string, { readonly caller: Pick<Caller, 'id' | 'key'>; count: number }>();

  constructor(private readonly repository: NetworkRepository) {}

  /** Middleware that counts refused requests. */
  readonly noteRefusals: RequestHandler = (request, response, next) => {
    response.once('close', () => {
      // A request that was refused before the guards has no caller.
      const { caller } = request as { readonly caller?: Caller };
      this.noteRefusal(caller ?? { id: callerIdOfAddress(request.ip) }, response.statusCode);
    });
    next();
  };

  /** Counts an answer with this status, if it refused the caller. */
  noteRefusal(caller: Pick<Caller, 'id' | 'key'>, status: number): void {
    if (REFUSALS.has(status)) this.note(caller, 'refusals', 1);
  }

  /** Counts a request that was refused before any work. */
  noteAtDoor(caller: Pick<Caller, 'id' | 'key'>): void {
    const who = caller.key?.id ?? caller.id;
    const known = this.atDoor.get(who);
    if (known) known.count += 1;
    else this.atDoor.set(who, { caller, count: 1 });
    if (this.atDoor.size >= MAX_AT_DOOR) this.takeFromDoor();
  }

  private takeFromDoor(): void {
    for (const { caller, count } of this.atDoor.values()) this.note(caller, 'refusals', count);
    this.atDoor.clear();
  }

  /** A key is counted beside its account. */
  note(caller: Pick<Caller, 'id' | 'key'>, measure: Measure, amount: number): void {
    if (amount === 0) return;
    const address = addressOfCaller(caller.id);
    const network = address === null ? null : networkOf(address);
    // All test keys of an account are the account.
    const taker = network === null ? caller.id.replace(/:test$/, '') : `network:${network}`;
    const keyId = chargedKeyOf(caller);
    for (const one of keyId === null ? [taker] : [taker, `key:${keyId}`]) {
      const known = this.taken.get(one) ?? { records: 0, pages: 0, refusals: 0 };
      known[measure] += amount;
      this.taken.set(one, known);
    }
  }

  async write(): Promise<void> {
    this.takeFromDoor();
    if (this.taken.size === 0) return;
    const all = [...this.taken].map(([taker, counts]) => ({ taker, ...counts }));
    this.taken = new BoundedMap(MAX_TAKERS);
    const most = (['records', 'pages', 'refusals'] as const).flatMap((measure) =>
      all
        .filter((one) => one[measure] > 0)
        .sort((one, other) => other[measure] - one[measure])
        .slice(0, MAX_WRITTEN),
    );
    try {
      await this.repository.addTaken([...new Set(most)]);
      this.outage.end();
    } catch (error) {
      this.outage.begin(error);
    }
  }

  onApplicationShutdown(): Promise<void> {
    return this.write();
  }
}

/** Refuses blocked networks before any work. Probes, metrics and /ops pass, so operators cannot lock themselves out. */
@Injectable()
export class NetworkGate {
  private readonly refusal: Refusal;
  private readonly contact: string | undefined;

  constructor(
    { http, links }: Config,
    private readonly rules: NetworkRules,
    private readonly takers: Takers,
    private readonly host: HttpAdapterHost,
  ) {
    this.refusal = new Refusal('network_blocked', http.corsOrigins.includes('*'));
    this.contact = links.securityContact;
  }

  /** For Node's `request` event. @returns true: the request was answered */
  refuses(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.rules.isEmpty || PASSES.test(request.url ?? '')) return false;
    const address = addressBehindProxies(request, trustOf(this.host));
    const rule = this.rules.find(address);
    if (rule?.verdict !== 'block') return false;
    this.takers.note({ id: callerIdOfAddress(address) }, 'refusals', 1);
    const contact = this.contact === undefined ? '' : ` Write to ${this.contact} if that is a mistake.`;
    const until = rule.endsAt.toISOString().slice(0, 16);
    this.refusal.send(request, response, {
      message: `Requests from this network are refused until ${until}Z.${contact}`,
    });
    return true;
  }
}

@Module({
  providers: [NetworkRepository, NetworkRules, Takers],
  exports: [NetworkRepository, NetworkRules, Takers],
})
export class NetworksModule {
  constructor(rules: NetworkRules, takers: Takers, timers: ProcessTimers) {
    timers.every(EVERY_MS, () => rules.refresh());
    timers.every(EVERY_MS, () => takers.write());
  }
}
