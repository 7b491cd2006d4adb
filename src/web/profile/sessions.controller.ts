import { Get, Param, Post, Query, Redirect, UseGuards } from '@nestjs/common';
import { IsUUID } from 'class-validator';
import { AccountProblem } from '../../accounts/account-problem.js';
import type { Account } from '../../accounts/accounts.service.js';
import { FormPages } from './form-page.decorator.js';
import { DoneQuery, noticeOf } from './notices.js';
import { SessionGuard, SignedIn } from './session.guard.js';
import { SessionRepository } from './session.repository.js';
import { sessionsPage } from './sessions-page.js';

const SEE_OTHER = 303;

class SessionPath {
  @IsUUID(undefined, { message: 'There is no such session.' })
  id: string;
}

/** Where somebody is signed in. */
@FormPages()
@UseGuards(SessionGuard)
export class SessionsController {
  constructor(private readonly sessions: SessionRepository) {}

  @Get('profile/sessions')
  async list(@SignedIn() { id, sessionId }: Account, @Query() query: DoneQuery): Promise<string> {
    const sessions = await this.sessions.listSessions(id);
    return sessionsPage({ sessions, currentId: sessionId, notice: noticeOf(query) });
  }

  @Post('profile/sessions/end-others')
  @Redirect('/profile/sessions?done=sessions-ended', SEE_OTHER)
  endOthers(@SignedIn() { id, sessionId }: Account): Promise<void> {
    return this.sessions.endOthers(id, sessionId);
  }

  @Post('profile/sessions/:id/end')
  @Redirect('/profile/sessions?done=session-ended', SEE_OTHER)
  async end(@SignedIn() account: Account, @Param() { id }: SessionPath): Promise<void> {
    if (!(await this.sessions.endSession(account.id, id)))
      throw new AccountProblem(404, 'There is no such session, or it has ended.');
  }
}
