import { Injectable, Module } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock, type Queryable } from '../../db/database.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiError } from '../../errors/api-error.js';
import type { Kind, Work, WorkResult } from '../../work/kind.js';
import { type ArchiveFailure, retryAfter } from '../archive-client.js';
import { ArchiveModule } from '../archive.module.js';
import { ArchiveQueue } from '../archive-queue.repository.js';
import { ArchiveRateLimiter } from '../archive-rate-limiter.repository.js';
import { ArchiveScorer } from '../archive-scorer.js';
import {
  type FormerSite,
  FormerSiteRepository,
  type ReadPage,
  type SitePage,
} from './former-site.repository.js';
import { type SiteAnswer, SiteClient } from './site-client.js';
import type { PageText } from './page-text.js';
import { readSigns, type SiteSigns } from './site-signs.js';

/** Requested sites in the queue: at twenty questions a minute the last of them waits for about an hour. */
const MAX_WANTED = 150;

/** What a page shows of a former site. */
export type FormerSiteView =
  /** May be asked for. */
  | { readonly state: 'unread'; readonly isSilent: boolean }
  | { readonly state: 'waiting'; readonly isSilent: boolean; readonly wanted: number }
  | { readonly state: 'removed' }
  | ({ readonly state: 'read'; readonly pages: readonly ReadPage[] } & SiteSigns);

/** Former sites for people who look at a name: asked for by them, read at the archive's pace, and kept. */
@Injectable()
export class FormerSites {
  constructor(
    private readonly sites: FormerSiteRepository,
    private readonly domains: DomainRepository,
    private readonly turns: ArchiveRateLimiter,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Null where texts are off, or where the archive has nothing of the name. */
  async find(domain: string, source: Queryable): Promise<FormerSiteView | null> {
    if (this.config.archive.pagesUrl === undefined) return null;
    const site = await this.sites.find(domain, source);
    if (site?.state === 'removed') return { state: 'removed' };
    if (site?.state === 'read' && site.wantedAt !== null) {
      const pages = readPages(site);
      return { state: 'read', pages, ...readSigns(pages) };
    }
    // Without the internet too, which is why it is said.
    const isSilent = (await this.turns.read()).failuresInRow > 0;
    if (!site || site.wantedAt === null) return { state: 'unread', isSilent };
    return { state: 'waiting', isSilent, wanted: await this.sites.countWanted(MAX_WANTED) };
  }

  /** Asks for the pages of a name's former site. @throws {ApiError} not_found, limit_reached */
  async want(domain: string): Promise<void> {
    const row = await this.domains.findShownDomain(domain);
    if (this.config.archive.pagesUrl === undefined || row?.archive.status !== 'ok')
      throw new ApiError('not_found', 'The archive has no former site of this name that could be read here.');
    if ((await this.sites.countWanted(MAX_WANTED)) >= MAX_WANTED)
      throw new ApiError('limit_reached', 'Many former sites wait to be read. Try again in an hour.');
    await this.sites.want(domain, await this.clock.now());
  }
}

function readPages({ pages }: Pick<FormerSite, 'pages'>): ReadPage[] {
  return (pages ?? []).flatMap(({ year, read }) => (read ? [{ year, ...read }] : []));
}

const EVERY_MS = 60_000;
const MAX_WRITING_MS = 10_000;
const AT_ONCE: WorkResult = { againInMs: 0 };
/** A page or a list that fails so often is left out. */
const MAX_FAILURES = 3;

/** Reads former sites, one request to the archive a run: requested sites first, then titles of all names if it may. */
@Injectable()
export class FormerSiteJob implements Kind {
  /** Names that one run considers for the queue. */
  static readonly MAX_LISTED = 2_000;
  readonly name = 'former-sites';
  readonly everyMs = EVERY_MS;
  readonly channel = 'former_site';
  readonly deadlineMs: number;
  private readonly client: SiteClient | null;
  private readonly readsTitles: boolean;

  constructor(
    private readonly sites: FormerSiteRepository,
    private readonly scorer: ArchiveScorer,
    private readonly turns: ArchiveRateLimiter,
    private readonly queue: ArchiveQueue,
    { archive, links }: Config,
  ) {
    this.deadlineMs = archive.timeoutMs + MAX_WRITING_MS;
    const { cdxUrl, pagesUrl, timeoutMs, readsTitles } = archive;
    this.readsTitles = readsTitles;
    this.client =
      cdxUrl === undefined || pagesUrl === undefined
        ? null
        : new SiteClient({ cdxUrl, pagesUrl, timeoutMs, contactUrl: links.baseUrl });
  }

  async run(_work: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    if (!this.client) return {};
    const site = await this.sites.next(now);
    if (!this.readsTitles && !site?.wantedAt) return {};
    if (!site) return (await this.sites.enlist(FormerSiteJob.MAX_LISTED, now)) ? AT_ONCE : {};
    // Scores come before titles that no visitor requested.
    if (site.wantedAt === null && (await this.queue.next(now)) !== null) return {};
    const turn = await this.turns.take(now);
    if (!turn.granted) return { againInMs: turn.againInMs };
    await this.readOne(site, this.client, now, signal);
    return AT_ONCE;
  }

  /** One request: which pages there are, or the next of them. */
  private async readOne(site: FormerSite, client: SiteClient, now: Date, signal: AbortSignal): Promise<void> {
    const { domain, pages } = site;
    const next = pages && nextPage(pages);
    if (!pages || !next) {
      const answer = await client.listPages(domain, now, signal);
      return this.keep(site, answer, (found) => found, now, signal);
    }
    const answer = await client.readPage(next, now, signal);
    const withRead = (read: PageText | null) =>
      pages.map((page) => (page === next ? { ...page, read } : page));
    await this.keep(site, answer, withRead, now, signal);
  }

  private async keep<Found>(
    site: FormerSite,
    answer: SiteAnswer<Found>,
    pagesWith: (found: NoInfer<Found> | null) => SitePage[] | null,
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    await this.scorer.observeArchive(answer, now);
    if (!answer.answered) return this.keepFailure(site, answer, pagesWith, now);
    const pages = pagesWith(answer.found);
    await this.sites.save({ ...site, pages, failures: 0 }, stateOf(site, pages), now);
  }

  private async keepFailure(
    site: FormerSite,
    { reason }: ArchiveFailure,
    pagesWith: (found: null) => SitePage[] | null,
    now: Date,
  ): Promise<void> {
    const failures = site.failures + 1;
    if (reason === 'excluded') return this.sites.save({ ...site, pages: [], failures }, 'read', now);
    if (failures < MAX_FAILURES) {
      const nextAt = new Date(now.getTime() + retryAfter(reason, failures));
      return this.sites.save({ ...site, failures }, 'waiting', nextAt);
    }
    // Asked for again, it is tried again.
    if (site.pages === null && site.wantedAt !== null) return this.sites.giveUp(site.domain, now);
    const pages = pagesWith(null) ?? [];
    await this.sites.save({ ...site, pages, failures: 0 }, stateOf(site, pages), now);
  }
}

/** The last year first, as its title is the one that all names have. */
function nextPage(pages: readonly SitePage[]): SitePage | undefined {
  const last = pages.at(-1);
  return last?.read === undefined ? last : pages.find(({ read }) => read === undefined);
}

function stateOf(
  { wantedAt }: Pick<FormerSite, 'wantedAt'>,
  pages: readonly SitePage[] | null,
): 'waiting' | 'read' {
  if (!pages) return 'waiting';
  const isDone =
    wantedAt === null ? pages.at(-1)?.read !== undefined || pages.length === 0 : !nextPage(pages);
  return isDone ? 'read' : 'waiting';
}

@Module({
  imports: [ArchiveModule, DomainsModule],
  providers: [FormerSiteRepository, FormerSites],
  exports: [ArchiveModule, FormerSiteRepository, FormerSites],
})
export class FormerSiteModule {}
