import { AccountProblem } from './account-problem.js';

/** How hard a password is to guess, in words for its owner. */
export const STRENGTHS = ['weak', 'fair', 'strong'] as const;
export type Strength = (typeof STRENGTHS)[number];

/** The same in whole sentences. */
export const STRENGTH_WORDS: Readonly<Record<Strength, string>> = {
  weak: 'The password is weak: a program guesses it in hours. Four words that have nothing to do with each other are strong.',
  fair: 'The password is fair; a word more would make it strong.',
  strong: 'The password is strong.',
};

interface Judge {
  readonly common: ReadonlySet<string>;
  check(password: string): { readonly score: number };
}

let judge: Promise<Judge> | undefined;

// Loaded when the first password is chosen: 50,000 of the most common ones (the 10,000 most common among them), 5 MB.
function loadJudge(): Promise<Judge> {
  judge ??= Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')]).then(
    ([{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }]) => {
      const factory = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
      return {
        common: new Set<string>(dictionary['passwords-common']),
        check: (password: string) => factory.check(password),
      };
    },
  );
  return judge;
}

/**
 * Judges a password that somebody chooses. Its length the form has judged.
 *
 * @param email of the account, where it is known
 * @returns how strong it is
 * @throws {AccountProblem} when it is one that is tried first
 */
export async function judgePassword(password: string, email?: string): Promise<Strength> {
  const { common, check } = await loadJudge();
  const text = password.trim().toLowerCase();
  if (email !== undefined && isOfAddress(text, email.toLowerCase()))
    throw new AccountProblem(400, 'The password must not be your address, nor the part before its @.');
  // What everybody uses, and the same with a few signs behind it, or twice.
  if (common.has(text) || common.has(text.replace(/[\d\W_]+$/, '')) || isRepeated(text, common))
    throw new AccountProblem(
      400,
      'This is one of the passwords that are tried first. Choose another one, such as four words.',
    );
  const { score } = check(password);
  return score >= 3 ? 'strong' : score === 2 ? 'fair' : 'weak';
}

function isOfAddress(text: string, email: string): boolean {
  const name = email.slice(0, email.lastIndexOf('@'));
  return text === email || text === name || text.replace(/[\d\W_]+$/, '') === name;
}

function isRepeated(text: string, common: ReadonlySet<string>): boolean {
  const part = /^(.+?)\1+$/.exec(text)?.[1];
  return part !== undefined && (part.length <= 4 || common.has(part));
}
