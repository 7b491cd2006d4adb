import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { withStatementTimeout } from '../db/open-database.js';
import { Database } from '../db/database.js';
import {
  AnswerLogRepository,
  type AnswerKind,
  type JudgedText,
  type Verdict,
} from './answer-log.repository.js';
import { judgeAvailability } from './availability-service.js';
import { LearnedWordings } from './learned-wordings.repository.js';
import { judgeRdap, rulesOf } from './rdap-answer.js';
import { comparedWording, type Learned, type Parser } from './rdap-wordings.js';

/** A text that these rules take for something else than the answers were taken for. */
export interface ChangedVerdict extends JudgedText {
  readonly now: Verdict;
}

/** Verdicts of answers whose shape or text is not reviewed yet. */
const NOT_UNDERSTOOD: readonly Verdict[] = ['not_understood', 'not_served', 'too_large'];
/** Verdicts that do not come from what an answer says. */
const NOT_BY_TEXT: readonly Verdict[] = ['too_old', 'contradicted'];

const LIST_TEXTS_TIMEOUT_MS = 60_000;
/** The most frequent; a year of one registry had nine. */
export const MAX_TEXTS = 5_000;

/** Judges kept answers again. */
@Injectable()
export class AnswerReplay {
  constructor(
    private readonly database: Database,
    private readonly wordings: LearnedWordings,
    private readonly config: Config,
  ) {}

  /**
   * The verdicts that a version of the rules would change, whether or not it is in use.
   *
   * @param tried texts that say "not found", on trial beside the known ones
   */
  async replay(
    since: Date,
    parser: Parser,
    tried: readonly string[],
  ): Promise<{ texts: number; changes: ChangedVerdict[] }> {
    await this.wordings.refresh();
    const trial = tried.map((text) => [comparedWording(text), 'not_found'] as const);
    const learned: Learned = new Map([...this.wordings.all, ...trial]);
    const texts = await this.listTexts(since);
    const changes = texts
      .map((one) => ({ ...one, now: judgeAgain(one, parser, learned) }))
      .filter(({ verdict, now }) => verdict !== now);
    return { texts: texts.length, changes };
  }

  /** Texts and shapes that the rules in use leave unknown. */
  async listUnknown(since: Date): Promise<JudgedText[]> {
    await this.wordings.refresh();
    const { parser } = this.config.registry;
    return (await this.listTexts(since)).filter((one) =>
      NOT_UNDERSTOOD.includes(judgeAgain(one, parser, this.wordings.all)),
    );
  }

  /** Of millions of answers it takes longer than a statement of a request may, and a key that only looks may ask. */
  private async listTexts(since: Date): Promise<JudgedText[]> {
    const texts = await withStatementTimeout(this.database, LIST_TEXTS_TIMEOUT_MS, (database) =>
      new AnswerLogRepository(database).listTexts(since, MAX_TEXTS),
    );
    return texts.filter(({ verdict }) => !NOT_BY_TEXT.includes(verdict));
  }
}

/**
 * Whether earlier versions kept it in a form that can stand for several bodies: they wrote null for a member of a
 * wrong shape, which the rules read as nothing said, and no word of bodies that were no JSON objects.
 */
export function isAmbiguous({ shape, text }: Pick<AnswerKind, 'shape' | 'text'>): boolean {
  return shape === null && (text === null || text.includes(':null'));
}

function judgeAgain(kind: AnswerKind, parser: Parser, learned: Learned): Verdict {
  const said =
    kind.source === 'availability_service'
      ? judgeAvailability(kind)
      : judgeRdap('', kind, rulesOf(parser, learned));
  return said.answered ? said.state : said.reason;
}
