import { Injectable } from '@nestjs/common';
import { AccountProblem } from './account-problem.js';

/** How hard a password is to guess. */
export const STRENGTHS = ['weak', 'fair', 'strong'] as const;
export type Strength = (typeof STRENGTHS)[number];

interface Judge {
  readonly common: ReadonlySet<string>;
  check(password: string): { readonly score: number };
}

let judge: Promise<Judge> | undefined;

// Loaded with the first new password: the 50,000 most common ones take 5 MB.
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
 * Checks a new password; the form has checked its length.
 *
 * @param email of the account, if known
 * @throws {AccountProblem} if attackers try it first
 */
export async function judgePassword(password: string, email?: string): Promise<Strength> {
  const { common, check } = await loadJudge();
  const text = password.trim().toLowerCase();
  if (email !== undefined && isOfAddress(text, email.toLowerCase()))
    throw new AccountProblem(400, 'The password must not be your address, nor the part before its @.');
  // Common passwords, also with digits or signs appended, or repeated.
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

/** What checking a password costs. Tests assign cheaper values. */
@Injectable()
export class PasswordCost {
  /** Minimum time of answers that must not reveal an account: a hash and a few statements take 60 to 120 ms. */
  minAnswerMs = 500;

  /** scrypt with the library's parameters. */
  async hash(password: string): Promise<string> {
    const { hashPassword } = await import('better-auth/crypto');
    return hashPassword(password);
  }

  async verify(given: { readonly hash: string; readonly password: string }): Promise<boolean> {
    const { verifyPassword } = await import('better-auth/crypto');
    return verifyPassword(given);
  }
}
