import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresKeys } from '../../access/requirements.js';
import { API_PREFIXES } from '../../config/product.js';
import { Config } from '../../config/config.js';
import { prefersHtml } from '../prefers-html.js';
import { SearchPageService } from '../search/search-page.service.js';
import { type SiteView, siteOf } from '../layout/layout.js';
import { setPageHeaders } from '../layout/page-headers.js';
import { describeEntry, type Entry, renderChangelog } from './entry-page.js';

/** Where everybody begins who knows no more than the host. */
@ApiExcludeController()
@IgnoresKeys()
@Controller()
export class EntryController {
  private readonly entry: Entry;
  private readonly site: SiteView;

  constructor(
    config: Config,
    private readonly search: SearchPageService,
  ) {
    const { auth, links } = config;
    this.site = siteOf(config);
    this.entry = describeEntry(links.baseUrl, API_PREFIXES, auth.enabled);
  }

  @Get()
  @Header('Cache-Control', 'public, max-age=3600')
  showEntry(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Entry | Promise<string> {
    response.vary('Accept');
    return prefersHtml(request) ? this.search.show(request, response) : this.entry;
  }

  @Get('changelog')
  showChangelog(@Res({ passthrough: true }) response: Response): string {
    setPageHeaders(response);
    return renderChangelog(this.site);
  }
}
