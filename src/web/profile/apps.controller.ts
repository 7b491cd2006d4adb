import { t } from '../../texts/texts.js';
import { Body, Get, HttpCode, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ConnectedApp } from '../../accounts/connected-apps.repository.js';
import type { Account } from '../../accounts/accounts.service.js';
import { ConnectedApps } from '../../accounts/connected-apps.js';
import { allowFormsTo } from '../layout/page-requests.js';
import { FormPages, ProofGuard, SessionGuard, SignedIn } from './form-pages.js';
import { DecisionForm } from './forms.dto.js';
import { definePage } from './page.js';

const requestPage = definePage('connect-app', { title: t.profile.titles.connect });
const appsPage = definePage<{ apps: readonly ConnectedApp[] }>('connected-apps', {
  title: t.profile.titles.apps,
});

/** Consent for apps, and the list of connected apps. */
@FormPages()
export class ConnectController {
  constructor(private readonly apps: ConnectedApps) {}

  @Get('oauth2/authorize')
  async authorize(@Req() request: Request, @Res() response: Response): Promise<void> {
    response.redirect(303, await this.apps.authorize(queryOf(request), request.headers));
  }

  @Get('connect')
  @UseGuards(SessionGuard, ProofGuard)
  async ask(@SignedIn() account: Account, @Req() request: Request, @Res() response: Response): Promise<void> {
    const query = queryOf(request);
    const { name, redirectUri } = await this.apps.findRequest(account, query);
    // The form's answer redirects there.
    allowFormsTo(response, redirectUri);
    response.type('html').send(showRequest(account, name, redirectUri, query));
  }

  @Post('connect')
  @UseGuards(SessionGuard, ProofGuard)
  async decide(
    @SignedIn() account: Account,
    @Body() form: DecisionForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const isAllowed = form.decision === 'allow';
    response.redirect(303, await this.apps.decide(account, form.request, isAllowed, request.headers));
  }

  @Get('profile/apps')
  @UseGuards(SessionGuard)
  async list(@SignedIn() { id }: Account): Promise<string> {
    return appsPage({ apps: await this.apps.list(id) });
  }

  @Post('profile/apps/:id/disconnect')
  @HttpCode(200)
  @UseGuards(SessionGuard, ProofGuard)
  async disconnect(@SignedIn() account: Account, @Param('id') clientId: string): Promise<string> {
    await this.apps.disconnect(account, clientId);
    return appsPage({
      apps: await this.apps.list(account.id),
      notice: t.profile.appGone,
    });
  }
}

/** The name is the app's claim; the host of its redirect is a fact. */
function showRequest({ email, tier }: Account, name: string, redirectUri: string, request: string): string {
  const { host, hostname } = new URL(redirectUri);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return requestPage({ name, host, isHere, request, email, tier });
}

function queryOf({ originalUrl }: Request): string {
  const start = originalUrl.indexOf('?');
  return start === -1 ? '' : originalUrl.slice(start + 1);
}
