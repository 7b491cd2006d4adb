import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Caller, callerIdOfAccount, callerIdOfAddress } from './caller.js';
import { type TierName, Tiers } from '../config/tiers.js';

/** Who looks at a page: whoever is signed in, or else whoever sits at the address. */
export interface Visitor extends Caller {
  /** Null without a session. */
  readonly accountId: string | null;
}

/** A session that works. */
interface Session {
  readonly account: { readonly id: string; readonly tier: TierName };
  /** Values of Set-Cookie headers, where it was renewed. */
  readonly cookies: readonly string[];
}

type FindSession = (headers: IncomingHttpHeaders) => Promise<Session | null>;

/** Tells pages who looks at them. Without accounts there are no sessions. */
@Injectable()
export class SessionResolver {
  private findSession: FindSession = () => Promise.resolve(null);

  constructor(private readonly tiers: Tiers) {}

  /** For whoever keeps the sessions. */
  findWith(findSession: FindSession): void {
    this.findSession = findSession;
  }

  /** @throws {DatabaseUnavailable} */
  async resolve(request: Request, response: Response): Promise<Visitor> {
    const session = await this.findSession(request.headers);
    const { table } = this.tiers;
    if (!session) return { tier: table.demo, id: callerIdOfAddress(request.ip), accountId: null };
    const { account, cookies } = session;
    if (cookies.length > 0) response.append('Set-Cookie', [...cookies]);
    return { tier: table[account.tier], id: callerIdOfAccount(account.id), accountId: account.id };
  }
}

/**
 * Whether a form can come from another site. Browsers say where a form comes from, and pages cannot make them lie: in
 * Sec-Fetch-Site (over HTTPS and on loopback), else in Origin (every POST). Programs that are no browsers send neither, and
 * have nobody's cookies to abuse. No token in the form is needed, nor would one help where cookies themselves are forged.
 */
export function isFromHere(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin, host } = headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
