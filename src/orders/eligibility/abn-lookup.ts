import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { exchange, textOf } from '../../registry/exchange.js';
import { BoundedMap } from '../../validation/caches.js';
import { isObject } from '../../validation/unknown-values.js';
import { kindOfNumber } from '../../validation/business-numbers.js';
import type { RegisterAnswer } from './verdict.js';

const LIMIT_MS = 5_000;
const MAX_BYTES = 65_536;
const MAX_BUSINESS_NAMES = 200;
const MAX_RECENT = 10_000;
const RECENT_MS = 86_400_000;

/** ABN Lookup, the public service of the Australian Business Register, asked with the operator's GUID. */
@Injectable()
export class AbnLookup {
  private readonly logger = new Logger(AbnLookup.name);
  /** By number: strangers ask as often as they like, and the register is asked in the operator's name. */
  private readonly recent = new BoundedMap<
    string,
    { readonly at: number; readonly answer: Promise<RegisterAnswer> }
  >(MAX_RECENT);

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** The same as it was within a day; its `asOf` says when. */
  async findRecent(digits: string): Promise<RegisterAnswer> {
    const now = (await this.clock.now()).getTime();
    const kept = this.recent.get(digits);
    if (kept && now - kept.at < RECENT_MS) return kept.answer;
    const asked = { at: now, answer: this.find(digits) };
    this.recent.set(digits, asked);
    const forget = () => this.recent.get(digits) === asked && this.recent.delete(digits);
    const answer = await asked.answer.catch((error: unknown) => (forget(), Promise.reject(error as Error)));
    if (answer === null) forget();
    return answer;
  }

  /**
   * @param digits of an ABN or ACN
   * @returns null without a GUID, and whenever the service gives no answer that can be understood
   */
  async find(digits: string): Promise<RegisterAnswer> {
    const { url, guid } = this.config.registrars.abnLookup;
    if (guid === undefined) return null;
    const kind = kindOfNumber(digits);
    const address = new URL(kind === 'ABN' ? 'AbnDetails.aspx' : 'AcnDetails.aspx', url);
    address.search = new URLSearchParams({ [kind.toLowerCase()]: digits, callback: 'c', guid }).toString();
    const answer = await exchange(address, {
      headers: { Accept: 'application/javascript', 'User-Agent': 'bowerbird' },
      ...{ limitMs: LIMIT_MS, maxBytes: () => MAX_BYTES },
    });
    const read = answer.received && answer.status === 200 && answer.body ? textOf(answer.body) : null;
    const entry = read === null ? null : readLookup(read, digits, await this.clock.now());
    if (entry === null)
      this.logger.warn(`ABN Lookup gave no answer (${answer.received ? answer.status : answer.detail})`);
    return entry;
  }
}

/** @returns null for an answer that cannot be understood, or is about another number */
export function readLookup(text: string, digits: string, now: Date): RegisterAnswer {
  const [, inner] = /^\s*c\(([\s\S]*)\)\s*;?\s*$/.exec(text) ?? [];
  const answer = inner === undefined ? null : parsed(inner);
  if (!isObject(answer)) return null;
  const { Abn, Acn, AbnStatus, EntityName, EntityTypeCode, BusinessName, Message } = answer;
  if (Abn === '' && typeof Message === 'string' && /not a valid|no record/i.test(Message)) return 'missing';
  if (![Abn, Acn].includes(digits) || typeof AbnStatus !== 'string' || AbnStatus === '') return null;
  if (typeof EntityName !== 'string' || EntityName === '' || typeof EntityTypeCode !== 'string') return null;
  const names: unknown[] = Array.isArray(BusinessName) ? BusinessName.slice(0, MAX_BUSINESS_NAMES) : [];
  return {
    isActive: AbnStatus === 'Active',
    ...{ entityName: EntityName, entityType: EntityTypeCode },
    businessNames: names.filter((name) => typeof name === 'string'),
    asOf: now.toISOString().slice(0, 10),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
