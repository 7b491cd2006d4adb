import { Injectable } from '@nestjs/common';
import { Clock, Database, type Queryable } from '../db/database.js';
import { calendarDateOf } from '../domains/schema/calendar-date.js';
import { AuditRepository } from '../observe/audit.repository.js';
import type { JudgedText } from '../registry/answer-log.repository.js';
import { AnswerReplay, isAmbiguous } from '../registry/answer-replay.js';
import { LearnedWordings } from '../registry/learned-wordings.js';
import { PARSERS } from '../registry/rdap-answer.js';
import type { LearnedMeaning, Parser } from '../registry/rdap-wordings.js';
import { REVIEWED_WORDINGS } from '../registry/reviewed-wordings.js';
import { type AnswerOf, done, type Done, type OperatorCommand } from './answers.js';

const DAY_MS = 86_400_000;

/** What registries have answered, and how it is read. */
@Injectable()
export class OperatorRegistry {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly answers: AnswerReplay,
    private readonly wordings: LearnedWordings,
    private readonly audit: AuditRepository,
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

function toText(one: JudgedText) {
  const { source, verdict, parser, status, shape, answers, example, lastAt, text } = one;
  const times = { answers, example, last_at: lastAt.toISOString() };
  return { source, verdict, parser, status, shape, ...times, text, is_ambiguous: isAmbiguous(one) };
}
