import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ProofRequired } from './account-problem.js';
import { type Account, AccountsService } from './accounts.service.js';
import { AttemptLimit } from './attempt-limit.js';
import { SecondFactors } from './second-factors.service.js';
import { SessionRepository } from './session.repository.js';

/** How long a proof counts. */
export const PROOF_MINUTES = 10;

/**
 * The one rule for what a thief of a session must not do: the session has proved its account holder within
 * PROOF_MINUTES. Signing in proves it, and so does entering the password again, with a code if there is a second
 * factor.
 */
@Injectable()
export class StepUp {
  constructor(
    private readonly accounts: AccountsService,
    private readonly factors: SecondFactors,
    private readonly attempts: AttemptLimit,
    private readonly sessions: SessionRepository,
  ) {}

  /** @throws {ProofRequired} */
  async assertProven({ sessionId }: Account): Promise<void> {
    if (!(await this.sessions.isProvenWithin(sessionId, PROOF_MINUTES))) throw new ProofRequired();
  }

  /** @throws {AccountProblem} */
  async prove(
    account: Account,
    headers: IncomingHttpHeaders,
    { password, code }: { readonly password: string; readonly code: string },
  ): Promise<void> {
    await this.attempts.count('password', account.id);
    // Before the code, which works only once.
    await this.accounts.confirmPassword(headers, password);
    await this.factors.confirm(account, headers, code);
    await this.sessions.prove(account.sessionId);
  }
}
