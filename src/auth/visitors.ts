import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { IncomingHttpHeaders } from 'node:http';
import { type TierName, Tiers } from '../tiers/tiers.js';
import { type Caller, callerIdOfAccount, callerIdOfAddress } from './caller.js';

/** Who looks at a page: whoever is signed in, or else whoever sits at the address. */
export interface Visitor extends Caller {
  /** Null without a session. */
  readonly accountId: string | null;
}

/** A session that works. */
export interface Session {
  readonly account: { readonly id: string; readonly tier: TierName };
  /** Values of Set-Cookie headers, where it was renewed. */
  readonly cookies: readonly string[];
}

type FindSession = (headers: IncomingHttpHeaders) => Promise<Session | null>;

/** Tells pages who looks at them. Without accounts there are no sessions. */
@Injectable()
export class Visitors {
  private findSession: FindSession = () => Promise.resolve(null);

  constructor(private readonly tiers: Tiers) {}

  /** For whoever keeps the sessions. */
  recogniseBy(findSession: FindSession): void {
    this.findSession = findSession;
  }

  /** @throws {DatabaseUnavailable} */
  async recognise(request: Request, response: Response): Promise<Visitor> {
    const session = await this.findSession(request.headers);
    const { table } = this.tiers;
    if (!session) return { tier: table.demo, id: callerIdOfAddress(request.ip), accountId: null };
    const { account, cookies } = session;
    if (cookies.length > 0) response.append('Set-Cookie', [...cookies]);
    return { tier: table[account.tier], id: callerIdOfAccount(account.id), accountId: account.id };
  }
}
