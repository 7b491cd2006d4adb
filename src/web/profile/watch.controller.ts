import { fillIn, t } from '../../texts/texts.js';
import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Ip,
  Param,
  Post,
  Query,
  Redirect,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { IgnoresKeys } from '../../access/requirements.js';
import { type Tier, Tiers } from '../../config/tiers.js';
import type { Account } from '../../accounts/accounts.service.js';
import { namesIn } from '../../accounts/shortlist.repository.js';
import { MAX_NAMES } from '../../api/check/check.dto.js';
import { Config } from '../../config/config.js';
import { noticeInWords } from '../../notify/watches/mail-dispatcher.js';
import { kindsOf, type Watch } from '../../notify/watches/watch.js';
import { type Watching, WatchesService } from '../../notify/watches/watches.service.js';
import { PageErrorFilter as SitePageFilter } from '../layout/error-pages.js';
import { renderAtom } from '../layout/layout.js';
import { dayInWords, momentInWords, searchInWords, timeView, type TimeView } from '../layout/words.js';
import { type NameParts, namePartsOf } from '../names/name-row.js';
import { NameStatuses } from '../names/name-statuses.js';
import { BADGES } from '../names/status-badge.js';
import { callerOf, FormPages, SessionGuard, SignedIn } from './form-pages.js';
import { FormsInPlace } from './forms-in-place.js';
import { MailsForm, TokenQuery, WatchForm, WatchPath, WatchQuery } from './forms.dto.js';
import { definePage, noticeOf, SIGNED_OUT } from './page.js';
import { calendarDateOf } from '../../domains/schema/calendar-date.js';
import { WATCHED_KINDS } from '../../domains/schema/events.js';

const NOTICES_SHOWN = 50;
/** Large tiers watch thousands of names. */
const STATES_SHOWN = 500;
const watchPage = definePage('watch', { title: t.profile.titles.watch, section: '/watch' });
// A button, not the link alone: programs that scan mail follow links.
const unsubscribePage = definePage<{ token: string }>('unsubscribe', {
  title: t.profile.titles.unsubscribe,
  ...SIGNED_OUT,
});
const unsubscribedPage = definePage('unsubscribed', { title: t.profile.titles.unsubscribed, ...SIGNED_OUT });

@FormPages()
@UseGuards(SessionGuard)
export class WatchController {
  constructor(
    private readonly watches: WatchesService,
    private readonly tiers: Tiers,
    private readonly statuses: NameStatuses,
    inPlace: FormsInPlace,
  ) {
    inPlace.register('/watch', (account) => this.show(account, {}));
  }

  @Get('watch')
  async show(@SignedIn() account: Account, @Query() query: WatchQuery): Promise<string> {
    const { name, question, id } = query;
    const watching = await this.watches.readWatching(account.id, NOTICES_SHOWN);
    return showWatching({
      watching,
      states: await this.readStates(watching),
      tier: this.tiers.table[account.tier],
      email: account.email,
      chosen: { name, question },
      done: noticeOf(query),
      added: query.done === 'watching' ? id : undefined,
    });
  }

  private async readStates({ watches }: Watching): Promise<ReadonlyMap<string, StateView>> {
    const names = watches.flatMap(({ domain }) => domain ?? []);
    const { known, now } = await this.statuses.read(namesIn(names.join(','), STATES_SHOWN));
    return new Map(
      known.map(({ name, status: { badge, saidAt } }) => [
        name.domain,
        { chip: BADGES[badge], said: saidAt && timeView(saidAt, now) },
      ]),
    );
  }

  @Post('watch')
  @Redirect('', 303)
  async watch(@SignedIn() account: Account, @Body() form: WatchForm): Promise<{ url: string }> {
    const { domain = '', question, names, on } = form;
    const caller = callerOf(account, this.tiers.table);
    if (names !== undefined) {
      for (const name of namesIn(names, MAX_NAMES))
        await this.watches.watchName(name.domain, WATCHED_KINDS, caller);
      return { url: '/watch?done=watching' };
    }
    const { id } =
      question === undefined
        ? await this.watches.watchName(domain, on, caller)
        : await this.watches.watchSearch(question, caller);
    return { url: `/watch?done=watching&id=${id}` };
  }

  @Post('watch/:id/remove')
  @Redirect('/watch?done=unwatched', 303)
  remove(@SignedIn() account: Account, @Param() { id }: WatchPath): Promise<void> {
    return this.watches.remove(id, callerOf(account, this.tiers.table));
  }

  @Post('watch/mails')
  @Redirect('/watch?done=mails-saved', 303)
  saveMails(@SignedIn() { id, address }: Account, @Body() { mails }: MailsForm): Promise<void> {
    return this.watches.setMails(mails, { accountId: id, address });
  }

  @Post('watch/feed')
  @Redirect('/watch?done=feed-renewed', 303)
  renewFeed(@SignedIn() { id, address }: Account): Promise<void> {
    return this.watches.renewFeed({ accountId: id, address });
  }
}

const FEED_ENTRIES = 100;

/** Signed addresses for feed readers and mailboxes, which have no session. */
@ApiExcludeController()
@IgnoresKeys()
@UseFilters(SitePageFilter)
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
    const { url, notices } = await this.watches.readFeed(token, FEED_ENTRIES);
    const { baseUrl } = this.config.links;
    return renderAtom({
      title: t.profile.titles.watchFeed,
      selfUrl: url,
      pageUrl: `${baseUrl}/watch`,
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

  /** Sent by a mailbox (RFC 8058) or the button of the page. The signed address is enough; cookies are ignored. */
  @Post('unsubscribe')
  @HttpCode(200)
  async unsubscribe(@Query() { token }: TokenQuery, @Ip() address: string): Promise<string> {
    await this.watches.unsubscribe(token, address);
    return unsubscribedPage({});
  }
}

interface StateView {
  readonly chip: { readonly words: string; readonly tone: string };
  readonly said: TimeView | null;
}

interface Shown {
  readonly watching: Watching;
  /** Of the watched names. */
  readonly states: ReadonlyMap<string, StateView>;
  readonly tier: Tier;
  readonly email: string;
  /** Chosen on another page, to be watched. */
  readonly chosen: { readonly name?: string | undefined; readonly question?: string | undefined };
  /** What the last form did, and the watch that it made. */
  readonly done?: string | undefined;
  readonly added?: string | undefined;
}

function showWatching({ watching, states, tier, email, chosen, done, added }: Shown): string {
  const names = watching.watches.filter(({ domain }) => domain !== null);
  const searches = watching.watches.filter(({ question }) => question !== null);
  const edited = names.find(({ domain }) => domain === chosen.name);
  const on = edited ? kindsOf(edited.eventTypes) : WATCHED_KINDS;
  return watchPage({
    problem: watching.problem ?? undefined,
    lead: fillIn(t.watches.lead, {
      ...{ names: names.length, mostNames: tier.watchedNames },
      ...{ searches: searches.length, mostSearches: tier.savedSearches },
    }),
    done:
      done === undefined
        ? null
        : doneOf(
            done,
            watching.watches.find(({ id }) => id === added),
          ),
    email,
    chosen: { ...chosen, id: edited?.id ?? null, words: searchInWords(chosen.question ?? '') },
    names: names.map((watch) => ({
      ...toRow(watch),
      name: partsOf(watch.domain ?? ''),
      now: states.get(watch.domain ?? '') ?? null,
    })),
    searches: searches.map(toRow),
    kinds: WATCHED_KINDS.map((value) => ({
      value,
      words: t.profile.watchKinds[value],
      isOn: on.includes(value),
    })),
    mailModes: Object.entries(t.profile.mailModes).map(([value, words]) => ({
      ...{ value, words, rest: value === 'at_once' ? t.profile.atOnceHint : '' },
    })),
    mails: watching.mails,
    feedUrl: watching.feedUrl,
    notices: watching.notices.map((told) => ({
      href: `/domains/${told.domain}`,
      domain: told.domain,
      words: noticeInWords(told).slice(told.domain.length),
      at: momentInWords(told.occurredAt),
      iso: told.occurredAt.toISOString(),
    })),
    hasWebhooks: tier.webhooks,
  });
}

function doneOf(words: string, watch: Watch | undefined): { words: string; undo: string | null } {
  if (!watch) return { words, undo: null };
  const name = watch.domain ?? searchInWords(watch.question ?? '');
  return { words: fillIn(t.watches.nowWatching, { name }), undo: watch.id };
}

function partsOf(domain: string): NameParts {
  const dot = domain.indexOf('.');
  return namePartsOf(domain.slice(0, dot), domain.slice(dot + 1));
}

function toRow({ id, domain, question, eventTypes, createdAt, isBeyondTier }: Watch): object {
  return {
    id,
    href: domain === null ? `/?${question ?? ''}` : `/domains/${domain}`,
    what: domain ?? searchInWords(question ?? ''),
    told: kindsOf(eventTypes)
      .map((kind) => t.profile.watchKindsShort[kind])
      .join(', '),
    since: dayInWords(calendarDateOf(createdAt)),
    isBeyondTier,
  };
}
