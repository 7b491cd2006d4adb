import { Injectable } from '@nestjs/common';
import { withoutStatementTimeout } from '../db/open-database.js';
import { Database } from '../db/database.js';
import type { RegistryState } from '../domains/schema/states.js';
import type { NoAnswerReason } from './answer.js';
import { AnswerLogRepository, type JudgedText } from './answer-log.repository.js';
import { readAvailabilityAnswer } from './availability-service.js';
import { NAME } from './evidence.js';
import { LearnedWordings } from './learned-wordings.js';
import { readRdapAnswer } from './rdap-answer.js';
import { normalise } from './rdap-wordings.js';

/** Stands for the names that were asked. */
const SOME_NAME = 'name-that-was-asked.com.au';
const RDAP_TYPE = 'application/rdap+json';

type Verdict = RegistryState | NoAnswerReason;

/** A text that the rules of this version take for something else than the answers were taken for. */
export interface ChangedVerdict extends JudgedText {
  readonly now: Verdict;
}

/** Verdicts of answers whose shape or text is not reviewed yet. */
const NOT_UNDERSTOOD: readonly Verdict[] = ['not_understood', 'not_served'];

/** Judges kept answers again. */
@Injectable()
export class AnswerReplay {
  constructor(
    private readonly database: Database,
    private readonly wordings: LearnedWordings,
  ) {}

  /**
   * The verdicts that this version of the rules would change.
   *
   * @param tried wordings on trial, in addition to the known ones
   */
  async replay(since: Date, tried: readonly string[]): Promise<{ texts: number; changes: ChangedVerdict[] }> {
    await this.wordings.refresh();
    const learned = new Set([...this.wordings.all, ...tried.map(normalise)]);
    const texts = await this.listTexts(since);
    const changes = texts
      .map((one) => ({ ...one, now: judgeAgain(one, learned) }))
      .filter(({ verdict, now }) => verdict !== now);
    return { texts: texts.length, changes };
  }

  /** Texts that the rules, as they are now, leave unknown. */
  async listUnknown(since: Date): Promise<JudgedText[]> {
    await this.wordings.refresh();
    return (await this.listTexts(since)).filter((one) =>
      NOT_UNDERSTOOD.includes(judgeAgain(one, this.wordings.all)),
    );
  }

  /** Of millions of answers it takes longer than a statement of a request may. */
  private listTexts(since: Date): Promise<JudgedText[]> {
    return withoutStatementTimeout(this.database, (database) =>
      new AnswerLogRepository(database).listTexts(since),
    );
  }
}

function judgeAgain(
  { source, status, hasRdapType, text }: JudgedText,
  learned: ReadonlySet<string>,
): Verdict {
  const body = (text ?? '').replaceAll(NAME, SOME_NAME);
  const said =
    source === 'availability_service'
      ? readAvailabilityAnswer(SOME_NAME, body)
      : readRdapAnswer(
          SOME_NAME,
          { status: status ?? 0, contentType: hasRdapType ? RDAP_TYPE : null, retryAfter: null, body },
          new Date(0),
          learned,
        );
  return said.answered ? said.state : said.reason;
}
