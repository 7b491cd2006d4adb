import { Injectable } from '@nestjs/common';
import { ApiError } from '../../errors/api-error.js';
import type { Kind, Work, WorkResult } from '../../work/kind.js';
import { wordsText } from './label-words.js';
import { lexicon } from './lexicon.js';
import { WordFillRepository } from './word-fill.repository.js';

/** The next run continues at once. */
const AT_ONCE: WorkResult = { againInMs: 0 };

/**
 * Cuts labels into words: of names that were there before the column was, or that an instance of the previous release
 * has added; and of all names, when the lexicon has changed. Each run fills one batch, so it goes on after a kill.
 */
@Injectable()
export class WordFillJob implements Kind {
  /** Names in a run: their rows are locked until it commits. */
  static readonly MAX_NAMES = 500;
  readonly name = 'word-fill';
  readonly everyMs = 5_000;

  constructor(private readonly names: WordFillRepository) {}

  async run(_work: Work): Promise<WorkResult> {
    const { MAX_NAMES } = WordFillJob;
    const state = await this.names.readState();
    const uncut = await this.names.listUncut(MAX_NAMES);
    if (uncut.length > 0) {
      const cut = uncut.map(({ domain, name }) => ({ domain, words: wordsText(name, lexicon()) }));
      const isLast = uncut.length < MAX_NAMES;
      await this.names.fill(cut, { ...state, isComplete: state.isComplete || isLast });
      return AT_ONCE;
    }
    const { version } = lexicon();
    if (state.lexicon === version && state.isComplete) return {};
    if (state.lexicon === null) {
      await this.names.fill([], { isComplete: true, lexicon: version, after: '' });
      return {};
    }
    return this.cutAgain(state.after, version, state.lexicon);
  }

  private async cutAgain(after: string, version: string, former: string): Promise<WorkResult> {
    const rows = await this.names.listBehind(after, WordFillJob.MAX_NAMES);
    const last = rows.at(-1);
    const changed = rows.flatMap(({ domain, name, words }) => {
      const cut = wordsText(name, lexicon());
      return cut === words ? [] : [{ domain, words: cut }];
    });
    await this.names.fill(changed, {
      isComplete: true,
      lexicon: last ? former : version,
      after: last?.domain ?? '',
    });
    return last ? AT_ONCE : {};
  }
}

/** Whether names can be searched by their words. */
@Injectable()
export class WordSearch {
  private isComplete = false;

  constructor(private readonly names: WordFillRepository) {}

  /** @throws {ApiError} not_ready until the words of all names are known */
  async assertReady(): Promise<void> {
    this.isComplete ||= (await this.names.readState()).isComplete;
    if (!this.isComplete)
      throw new ApiError(
        'not_ready',
        'The names are being cut into words, so nothing can be found by words yet. Search with match=text, and without ' +
          'dictionary, min_words and max_words, until then.',
      );
  }
}
