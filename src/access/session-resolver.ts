import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Caller, callerIdOfAccount, callerIdOfAddress } from './caller.js';
import { Delivery } from './delivery.js';
import { passIn } from './proof-of-work.js';
import { type TierName, Tiers } from '../config/tiers.js';

/** The visitor of a page: the signed-in account, or else the address. */
export interface Visitor extends Caller {
  /** Null without a session. */
  readonly accountId: string | null;
}

/** A valid session. */
interface Session {
  readonly account: { readonly id: string; readonly tier: TierName };
  /** Values of Set-Cookie headers, if it was renewed. */
  readonly cookies: readonly string[];
}

type FindSession = (headers: IncomingHttpHeaders) => Promise<Session | null>;

/** Identifies the visitors of pages. Without accounts there are no sessions. */
@Injectable()
export class SessionResolver {
  private findSession: FindSession = () => Promise.resolve(null);

  constructor(private readonly tiers: Tiers) {}

  /** Called once by the accounts module. */
  findWith(findSession: FindSession): void {
    this.findSession = findSession;
  }

  /** @throws {DatabaseUnavailable} */
  async resolve(request: Request, response: Response): Promise<Visitor> {
    const session = await this.findSession(request.headers);
    const { table } = this.tiers;
    const delivery = new Delivery(response);
    if (!session)
      return {
        ...{ tier: table.demo, id: callerIdOfAddress(request.ip), accountId: null, delivery },
        pass: passIn(request.headers),
      };
    const { account, cookies } = session;
    if (cookies.length > 0) response.append('Set-Cookie', [...cookies]);
    return { tier: table[account.tier], id: callerIdOfAccount(account.id), accountId: account.id, delivery };
  }
}

/**
 * Whether a form comes from this site. Browsers send its origin, which pages cannot forge: in Sec-Fetch-Site (over
 * HTTPS and on loopback), else in Origin (with every POST). Other programs send neither, and have no cookies of a
 * victim to abuse. So forms need no token.
 */
export function isFromHere(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin, host } = headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
