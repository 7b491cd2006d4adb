import { Body, Get, Post, Redirect, UseGuards } from '@nestjs/common';
import type { Account } from '../../accounts/accounts.service.js';
import { namesIn, ShortlistRepository } from '../../accounts/shortlist.repository.js';
import { Clock } from '../../db/database.js';
import { FormPages, SessionGuard, SignedIn } from './form-pages.js';
import { ShortlistForm } from './forms.dto.js';

/** The shortlist in the account; the page of it is public, as its names can be shared. */
@FormPages()
@UseGuards(SessionGuard)
export class ShortlistFormController {
  constructor(
    private readonly shortlist: ShortlistRepository,
    private readonly clock: Clock,
  ) {}

  @Post('shortlist')
  @Redirect('/shortlist', 303)
  async change(@SignedIn() { id }: Account, @Body() { add = '', remove = '' }: ShortlistForm): Promise<void> {
    const [added, removed] = [add, remove].map((text) => namesIn(text).map(({ domain }) => domain));
    if (added?.length) await this.shortlist.add(id, added, await this.clock.now());
    if (removed?.length) await this.shortlist.remove(id, removed);
  }

  /** For the script of the pages. */
  @Get('shortlist.json')
  async read(@SignedIn() { id }: Account): Promise<{ names: string[] }> {
    return { names: await this.shortlist.list(id) };
  }
}
