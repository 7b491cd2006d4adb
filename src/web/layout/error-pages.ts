import { Catch, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SessionResolver, type Visitor } from '../../access/session-resolver.js';
import { WorkRequired } from '../../access/proof-of-work.js';
import { API_PREFIXES } from '../../config/product.js';
import { Config } from '../../config/config.js';
import { type DomainName, judgeDomainName } from '../../domains/name/domain-name.js';
import { ApiErrorFilter } from '../../errors/api-error.filter.js';
import { ApiError } from '../../errors/api-error.js';
import type { ErrorCode } from '../../errors/error-codes.js';
import { t } from '../../texts/texts.js';
import { renderLayout, type SiteView, siteOf } from './layout.js';
import { prefersHtml, setPageHeaders } from './page-requests.js';
import { template } from './templates.js';
import { messageInWords } from './words.js';

/** Failures as a page with a next step for browsers, at every address; programs get JSON. */
@Catch()
@Injectable()
export class SiteErrorFilter extends ApiErrorFilter {
  private readonly site: SiteView;

  constructor(
    config: Config,
    private readonly sessions: SessionResolver,
  ) {
    super();
    this.site = siteOf(config);
  }

  protected override write(error: ApiError, request: Request, response: Response): void {
    if (!this.isForPeople(request)) {
      super.write(error, request, response);
      return;
    }
    const send = (visitor: Visitor | undefined) => {
      setPageHeaders(response);
      response.status(error.status).set(error.headersFor(request)).set('Cache-Control', 'no-store');
      const signedIn = visitor !== undefined && visitor.accountId !== null;
      response.type('html').send(renderErrorPage(this.site, error, request, signedIn));
    };
    // Without a route no guard has run. Other failures cost the database nothing more.
    if (request.visitor || ![400, 404].includes(error.status)) send(request.visitor);
    else void this.sessions.resolve(request, response).then(send, () => send(undefined));
  }

  protected isForPeople(request: Request): boolean {
    return prefersHtml(request);
  }
}

/** The same for addresses that serve pages alone. */
@Catch()
@Injectable()
export class PageErrorFilter extends SiteErrorFilter {
  protected override isForPeople(): boolean {
    return true;
  }
}

/** A text that is no name, with the registrable name that it contains, if any. */
class NameRefused extends ApiError {
  constructor(
    code: ErrorCode,
    message: string,
    readonly registrable: string | null,
  ) {
    super(code, message);
  }
}

/** @throws {ApiError} with a code for the fault in the text */
export function readName(text: string): DomainName {
  const judgement = judgeDomainName(text);
  if (!judgement.ok) throw new NameRefused(judgement.code, judgement.message, judgement.registrable);
  return judgement.domain;
}

const HEADINGS: Partial<Record<ErrorCode, string>> = t.errors.headings;

interface NextStep {
  readonly words: string;
  readonly href: string;
}

const MORE: readonly NextStep[] = [{ words: t.errors.tiers, href: '/pricing' }];
const NEXT_STEPS: Partial<Record<ErrorCode, readonly NextStep[]>> = {
  key_required: MORE,
  tier_required: MORE,
  budget_exhausted: MORE,
  too_many_requests: MORE,
  registry_unavailable: [{ words: t.errors.registry, href: '/status' }],
};

const errorPage = template('error');
const workPage = template('work');

function renderErrorPage(site: SiteView, error: ApiError, request: Request, signedIn: boolean): string {
  if (error instanceof WorkRequired) return renderWorkPage(site, error, request);
  const { code, message, status, retryAfterSeconds } = error;
  const heading = HEADINGS[code] ?? t.errors.failed;
  const isSafe = request.method === 'GET' || request.method === 'HEAD';
  const body = errorPage({
    heading,
    message: sentenceOf(code, message),
    retry: isSafe && (status >= 500 || status === 429) ? onThisSite(request.originalUrl) : null,
    registrable: error instanceof NameRefused ? error.registrable : null,
    back: isSafe ? null : onThisSite(request.path),
    waitSeconds: retryAfterSeconds,
    nextSteps: NEXT_STEPS[code] ?? [],
    offersAccount: site.hasAccounts && MORE === NEXT_STEPS[code],
    isApi: API_PREFIXES.some((prefix) => request.path.startsWith(`/${prefix}/`)),
    requestId: request.requestId,
  });
  return renderLayout(site, { title: heading, signedIn, body });
}

function renderWorkPage(site: SiteView, error: WorkRequired, request: Request): string {
  const { ticket, bits, parts, network, retryAfterSeconds } = error;
  const { hasAccounts } = site;
  const address = onThisSite(request.originalUrl);
  const body = workPage({
    ticket,
    bits,
    parts,
    network,
    hasAccounts,
    address,
    waitSeconds: retryAfterSeconds,
  });
  return renderLayout(site, { title: t.layout.oneMoment, provesWork: true, body });
}

// An address that begins with two slashes names another host.
const onThisSite = (address: string): string => address.replace(/^[/\\]+/, '/');

// The message of this code points programs to their document.
function sentenceOf(code: ErrorCode, message: string): string {
  if (code === 'not_found' && message.startsWith('There is nothing at this address'))
    return t.errors.checkAddress;
  return messageInWords(message);
}
