import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import { Database } from '../../db/database.js';
import { type DomainName, parseDomainName } from '../../domains/name/domain-name.js';
import { RecordBudget } from '../../access/record-budget.js';
import { unavailable, type RegistryAnswer } from '../../registry/answer.js';
import { type LookedUp, Registry } from '../../registry/registry.js';
import type { Sibling } from '../../registry/sibling.dto.js';
import { SiblingReader } from '../../registry/siblings.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import type { SiblingsQuery, SiblingsResult } from './siblings.dto.js';

/** The cost of a report, for every result. */
const RECORDS_PER_ANSWER = 1;

@Injectable()
export class SiblingsService {
  constructor(
    private readonly budget: RecordBudget,
    private readonly registry: Registry,
    private readonly reader: SiblingReader,
    private readonly database: Database,
    private readonly reads: ReadDatabase,
  ) {}

  /**
   * A label under each of the six suffixes. Costs one record, and one more for each suffix that the registry
   * answers.
   *
   * @param text a label, or a whole name
   * @throws {ApiError} domain_* for a text that is not a label, budget_exhausted
   */
  async siblingsOf(text: string, { live }: SiblingsQuery, caller: Caller): Promise<SiblingsResult> {
    const label = labelOf(text);
    const known = await this.reader.read(label, this.reads);
    const open = live === 'true' ? known.filter(isOpen).map(({ domain }) => parseDomainName(domain)) : [];
    if (open.length === 0) {
      const { left } = await this.budget.charge(caller, RECORDS_PER_ANSWER);
      return { ok: true, label, siblings: known, note: noteOn(known), ...left };
    }
    const { result, left } = await this.budget.reserveSome(
      caller,
      RECORDS_PER_ANSWER + open.length,
      (records) => this.ask(label, open, records - RECORDS_PER_ANSWER, caller),
    );
    return { ok: true, label, siblings: result, note: noteOn(result), ...left };
  }

  /** @param paid how many of the names there are records for */
  private async ask(label: string, open: readonly DomainName[], paid: number, caller: Caller) {
    const asked = await Promise.all(
      open.slice(0, paid).map(async (name) => [name.domain, await this.tryName(name, caller)] as const),
    );
    const answers = new Map<string, RegistryAnswer>();
    const errors = new Map(open.slice(paid).map(({ domain }) => [domain, LEFT_OUT]));
    for (const [domain, said] of asked)
      if (said.answered) answers.set(domain, said.answer);
      else errors.set(domain, errorOf(said));
    const siblings = await this.reader.read(label, this.database, answers);
    const withErrors = siblings.map((one) => {
      const error = errors.get(one.domain);
      return error ? { ...one, error } : one;
    });
    return { result: withErrors, used: RECORDS_PER_ANSWER + answers.size };
  }

  private tryName(name: DomainName, caller: Caller): Promise<LookedUp> {
    return this.registry.ask(name, { by: caller });
  }
}

const LEFT_OUT: NonNullable<Sibling['error']> = {
  code: 'budget_exhausted',
  message: 'What the budget had left was enough for the names before this one.',
};

function errorOf(said: Exclude<LookedUp, { answered: true }>): NonNullable<Sibling['error']> {
  const { code, message } = unavailable(said);
  return { code, message };
}

function labelOf(text: string): string {
  return parseDomainName(text.includes('.') ? text : `${text.trim()}.com.au`).name;
}

/** Whether nothing is known of a name that there can be. */
function isOpen({ state, available }: Sibling): boolean {
  return state === null && available === null;
}

function noteOn(siblings: readonly Sibling[]): string {
  const open = siblings.filter(isOpen).length;
  const cut = siblings.some(({ error }) => error?.code === LEFT_OUT.code);
  return [
    ...(open === 0 ? ['What each of the six is known to be. Check a name before you rely on it.'] : []),
    ...(open > 0 && !cut ? [`Nothing is known of ${open} of the six: live=true asks the registry.`] : []),
    ...(cut ? ['The budget was not enough to ask about all: ask again after rate.reset_in seconds.'] : []),
  ].join(' ');
}
