import { Catch, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../config/config.js';
import type { ApiError } from '../../errors/api-error.js';
import { ApiErrorFilter } from '../../errors/api-error.filter.js';
import { type SiteView, siteOf } from '../layout/layout.js';
import { setPageHeaders } from '../layout/page-headers.js';
import { prefersHtml } from '../prefers-html.js';
import { renderErrorPage } from './error-page.js';

/** Failures as a page with a way on for whoever names HTML, at whichever address; for programs as ever. */
@Catch()
@Injectable()
export class SiteErrorFilter extends ApiErrorFilter {
  private readonly site: SiteView;

  constructor(config: Config) {
    super();
    this.site = siteOf(config);
  }

  protected override write(error: ApiError, request: Request, response: Response): void {
    if (!this.isForPeople(request)) {
      super.write(error, request, response);
      return;
    }
    setPageHeaders(response);
    response.status(error.status).set(error.headersFor(request)).set('Cache-Control', 'no-store');
    response.type('html').send(renderErrorPage(this.site, error, request));
  }

  protected isForPeople(request: Request): boolean {
    return prefersHtml(request);
  }
}

/** The same where nothing but pages is to be had. */
@Catch()
@Injectable()
export class PageErrorFilter extends SiteErrorFilter {
  protected override isForPeople(): boolean {
    return true;
  }
}
