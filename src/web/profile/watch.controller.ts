import { Body, Get, Param, Post, Query, Redirect, UseGuards } from '@nestjs/common';
import { FormPages } from './form-page.decorator.js';
import { noticeOf } from './notices.js';
import { SessionGuard, SignedIn } from './session.guard.js';
import type { Account } from '../../accounts/accounts.service.js';
import { Tiers } from '../../config/tiers.js';
import { WatchesService } from '../../notify/watches/watches.service.js';
import { callerOf } from './signed-in-caller.js';
import { MailsForm, WatchForm, WatchPath, WatchQuery } from './watch.dto.js';
import { watchPage } from './watch-page.js';

const NOTICES_SHOWN = 50;
const SEE_OTHER = 303;

/** What an account watches. */
@FormPages()
@UseGuards(SessionGuard)
export class WatchController {
  constructor(
    private readonly watches: WatchesService,
    private readonly tiers: Tiers,
  ) {}

  @Get('watch')
  async show(@SignedIn() account: Account, @Query() query: WatchQuery): Promise<string> {
    const { name, question } = query;
    return watchPage({
      watching: await this.watches.readWatching(account.id, NOTICES_SHOWN),
      tier: this.tiers.table[account.tier],
      email: account.email,
      chosen: { name, question },
      notice: noticeOf(query),
    });
  }

  @Post('watch')
  @Redirect('/watch?done=watching', SEE_OTHER)
  async watch(@SignedIn() account: Account, @Body() { domain = '', question, on }: WatchForm): Promise<void> {
    const caller = callerOf(account, this.tiers.table);
    if (question === undefined) await this.watches.watchName(domain, on, caller);
    else await this.watches.watchSearch(question, caller);
  }

  @Post('watch/:id/remove')
  @Redirect('/watch?done=unwatched', SEE_OTHER)
  remove(@SignedIn() account: Account, @Param() { id }: WatchPath): Promise<void> {
    return this.watches.remove(id, callerOf(account, this.tiers.table));
  }

  @Post('watch/mails')
  @Redirect('/watch?done=mails-saved', SEE_OTHER)
  saveMails(@SignedIn() { id, address }: Account, @Body() { mails }: MailsForm): Promise<void> {
    return this.watches.setMails(mails, { accountId: id, address });
  }

  @Post('watch/feed')
  @Redirect('/watch?done=feed-renewed', SEE_OTHER)
  renewFeed(@SignedIn() { id, address }: Account): Promise<void> {
    return this.watches.renewFeed({ accountId: id, address });
  }
}
