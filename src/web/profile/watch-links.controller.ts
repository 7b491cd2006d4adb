import { Controller, Get, Header, HttpCode, Ip, Post, Query, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { IgnoresKeys } from '../../access/requirements.js';
import { Config } from '../../config/config.js';
import { PageErrorFilter } from '../errors/site-error.filter.js';
import { renderAtom } from '../feeds/atom.js';
import { noticeInWords } from '../../notify/watches/mails/watch-mails.js';
import { WatchesService } from '../../notify/watches/watches.service.js';
import { TokenQuery } from './watch.dto.js';
import { unsubscribedPage, unsubscribePage } from './watch-page.js';

const FEED_ENTRIES = 100;

/** Addresses that prove themselves: for feed readers and mailboxes, which have no session. */
@ApiExcludeController()
@IgnoresKeys()
@UseFilters(PageErrorFilter)
@Controller('watch')
export class WatchLinksController {
  constructor(
    private readonly watches: WatchesService,
    private readonly config: Config,
  ) {}

  @Get('feed.atom')
  @Header('Content-Type', 'application/atom+xml; charset=utf-8')
  @Header('Cache-Control', 'private, max-age=300')
  @Header('X-Robots-Tag', 'noindex')
  async readFeed(@Query() { token }: TokenQuery): Promise<string> {
    const { url, since, notices } = await this.watches.readFeed(token, FEED_ENTRIES);
    const { baseUrl } = this.config.links;
    return renderAtom({
      title: 'Names that you watch, at Bowerbird',
      selfUrl: url,
      pageUrl: `${baseUrl}/watch`,
      since,
      entries: notices.map((notice) => ({
        id: `${baseUrl}/domains/${notice.domain}#event-${notice.event}`,
        title: noticeInWords(notice),
        url: `${baseUrl}/domains/${notice.domain}`,
        updated: notice.occurredAt,
      })),
    });
  }

  @Get('unsubscribe')
  askToUnsubscribe(@Query() { token }: TokenQuery): string {
    this.watches.unsubscribing(token);
    return unsubscribePage({ token });
  }

  /** Asked by a mailbox (RFC 8058), or by the button of the page before: the address says it all, and no cookie is looked at. */
  @Post('unsubscribe')
  @HttpCode(200)
  async unsubscribe(@Query() { token }: TokenQuery, @Ip() address: string): Promise<string> {
    await this.watches.unsubscribe(token, address);
    return unsubscribedPage({});
  }
}
