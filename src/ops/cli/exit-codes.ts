/** It was not done; the message says why. */
export const EXIT_FAILED = 1;

/** Something went wrong after it was done, or nobody knows whether it was; the message says which. */
export const EXIT_AFTERWARDS = 2;

/** Ended by Control-C, as shells count it. */
export const EXIT_INTERRUPTED = 130;
