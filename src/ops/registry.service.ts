import { Injectable } from '@nestjs/common';
import { Clock, Database, type Queryable } from '../db/database.js';
import { calendarDateOf } from '../domains/schema/calendar-date.js';
import { Lifecycle } from '../domains/lifecycle/lifecycle.js';
import { judgeDomainName, parseDomainName } from '../domains/name/domain-name.js';
import { NameHoldRepository } from '../domains/name/name-hold.repository.js';
import { NameHolds } from '../domains/name/name-holds.js';
import { ApiError } from '../errors/api-error.js';
import { printable } from '../ingest/import/reading/import-error.js';
import { AuditRepository } from '../observe/audit.repository.js';
import type { JudgedText } from '../registry/answer-log.repository.js';
import { AnswerReplay, isAmbiguous } from '../registry/answer-replay.js';
import { LearnedWordings } from '../registry/learned-wordings.repository.js';
import { Registry } from '../registry/registry.js';
import { PARSERS } from '../registry/rdap-answer.js';
import type { LearnedMeaning, Parser } from '../registry/rdap-wordings.js';
import { REVIEWED_WORDINGS } from '../registry/reviewed-wordings.js';
import { type AnswerOf, done, type Done, type OperatorCommand } from './answers.js';

const DAY_MS = 86_400_000;

/** A list of names that are held back, as an operator loads it. */
interface HoldList {
  readonly names: string;
  readonly source: string;
  readonly as_of: string;
  readonly what: string;
}

/** What registries have answered, how it is read, and which names they hold back. */
@Injectable()
export class OperatorRegistry {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly answers: AnswerReplay,
    private readonly wordings: LearnedWordings,
    private readonly audit: AuditRepository,
    private readonly holds: NameHoldRepository,
    private readonly nameHolds: NameHolds,
    private readonly registry: Registry,
    private readonly lifecycle: Lifecycle,
  ) {}

  async replay(days: number, parser: Parser, wording: string | undefined): Promise<AnswerOf<'Replay'>> {
    const tried = wording === undefined ? [] : [wording];
    const { texts, changes } = await this.answers.replay(await this.since(days), parser, tried);
    return {
      ...{ ok: true, parser: PARSERS[parser].version, texts },
      changes: changes.map((one) => ({ ...toText(one), now: one.now })),
    };
  }

  async listUnknown(days: number): Promise<AnswerOf<'UnknownAnswers'>> {
    return { ok: true, texts: (await this.answers.listUnknown(await this.since(days))).map(toText) };
  }

  async listWordings(): Promise<AnswerOf<'Wordings'>> {
    const added = await this.wordings.list();
    return {
      ok: true,
      wordings: [
        ...added.map(({ text, meaning, source, addedBy, addedAt }) => ({
          ...{ text, meaning, source, added_by: addedBy, added_on: calendarDateOf(addedAt) },
        })),
        ...REVIEWED_WORDINGS.map(({ text, meaning, source, addedOn }) => ({
          ...{ text, meaning, source, added_by: 'this version', added_on: addedOn },
        })),
      ],
    };
  }

  async addWording(
    added: { text: string; source: string; meaning: LearnedMeaning },
    command: OperatorCommand,
  ): Promise<Done> {
    const wording = { ...added, addedBy: command.actor, addedAt: await this.clock.now() };
    return this.change(command, (transaction) => this.wordings.add(wording, transaction));
  }

  async removeWording(text: string, command: OperatorCommand): Promise<Done> {
    return this.change(command, (transaction) => this.wordings.remove(text, transaction));
  }

  async listHolds(): Promise<AnswerOf<'Holds'>> {
    const holds = await this.holds.list();
    return { ok: true, holds: holds.map(({ asOf, ...hold }) => ({ ...hold, as_of: asOf })) };
  }

  /** @throws {ApiError} invalid_parameter */
  async loadHolds(list: HoldList, command: OperatorCommand): Promise<AnswerOf<'HoldsLoaded'>> {
    const domains = readNames(list.names);
    const hold = { what: list.what, source: list.source, asOf: list.as_of };
    const released = await this.database.transaction(async (transaction) => {
      await this.audit.record({ ...command, subject: 'holds' }, transaction);
      const gone = await this.holds.replace(domains, hold, transaction);
      await this.lifecycle.askAgain(gone, await this.clock.now(), transaction);
      return gone;
    });
    await this.nameHolds.refresh();
    const counts = { held: domains.length, released: released.length };
    return { ok: true, changed: true, ...counts, withdrawn: await this.withdraw(domains) };
  }

  /** Takes held names off offer: their answer is known without the registry. @returns how many it took off */
  private async withdraw(domains: readonly string[]): Promise<number> {
    const before = await this.holds.listInDataset(domains);
    await this.registry.findAllKnown(before.map(({ domain }) => parseDomainName(domain)));
    const after = await this.holds.listInDataset(domains);
    const [offered = 0, left = 0] = [before, after].map(
      (all) => all.filter(({ isOffered }) => isOffered).length,
    );
    return offered - left;
  }

  async releaseHold(text: string, command: OperatorCommand): Promise<Done> {
    const { domain } = parseDomainName(text);
    const changed = await this.database.transaction(async (transaction) => {
      const isChange = await this.holds.release(domain, transaction);
      if (!isChange) return false;
      await this.audit.record({ ...command, subject: `domain:${domain}` }, transaction);
      await this.lifecycle.askAgain([domain], await this.clock.now(), transaction);
      return true;
    });
    await this.nameHolds.refresh();
    return done(changed);
  }

  private async change(
    command: OperatorCommand,
    write: (transaction: Queryable) => Promise<boolean>,
  ): Promise<Done> {
    const changed = await this.database.transaction(async (transaction) => {
      const isChange = await write(transaction);
      if (isChange) await this.audit.record({ ...command, subject: 'registry' }, transaction);
      return isChange;
    });
    if (changed) await this.wordings.refresh();
    return done(changed);
  }

  private async since(days: number): Promise<Date> {
    return new Date((await this.clock.now()).getTime() - days * DAY_MS);
  }
}

/** @throws {ApiError} invalid_parameter with the first names that are none */
function readNames(text: string): string[] {
  const lines = text.split('\n').map((line) => (line.split(',')[0] ?? '').trim());
  const judged = lines
    .filter((line, at) => line !== '' && !(at === 0 && line.toLowerCase() === 'domain'))
    .map((line) => ({ line, judgement: judgeDomainName(line) }));
  const faults = judged.flatMap(({ line, judgement }) => (judgement.ok ? [] : [printable(line)]));
  if (faults.length > 0)
    throw new ApiError(
      'invalid_parameter',
      `names has ${faults.length} that are no .au names, such as ${faults.slice(0, 3).join(', ')}; nothing was loaded`,
    );
  return [...new Set(judged.flatMap(({ judgement }) => (judgement.ok ? [judgement.domain.domain] : [])))];
}

function toText(one: JudgedText) {
  const { source, verdict, parser, status, shape, answers, example, lastAt, text } = one;
  const times = { answers, example, last_at: lastAt.toISOString() };
  return { source, verdict, parser, status, shape, ...times, text, is_ambiguous: isAmbiguous(one) };
}
