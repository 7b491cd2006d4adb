/** One row of the archive's answer: a day (UTC, YYYY-MM-DD) on which it captured the home page, and what the server said. */
export interface Capture {
  readonly day: string;
  /** Three digits, or `-` for a revisit: a capture that was the same as an earlier one. */
  readonly status: string;
}

/** What an answer holds when it can be believed. No captures: the archive said that there are none. */
export interface Captures {
  readonly captures: readonly Capture[];
  /** Rows left out because no day can be read from them. */
  readonly ignored: number;
}

export type UnreadableReason = 'empty' | 'cut_off' | 'not_understood' | 'too_large';

/** An answer that says nothing. It is never a score of 0. */
export interface Unreadable {
  readonly unreadable: UnreadableReason;
}
