import { Body, Get, HttpCode, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { IsIn, IsString, MaxLength } from 'class-validator';
import type { Request, Response } from 'express';
import { allowFormsTo } from '../layout/page-headers.js';
import type { Account } from '../../accounts/accounts.service.js';
import { appsPage, connectPage } from './apps-pages.js';
import { FormPages } from './form-page.decorator.js';
import { SessionGuard, SignedIn } from './session.guard.js';
import { ConnectedApps } from '../../accounts/connected-apps.js';

const MAX_REQUEST_LENGTH = 8_000;
const STALE_FORM = { message: 'This form is not complete. Start again at the app.' };

export class DecisionForm {
  @MaxLength(MAX_REQUEST_LENGTH, STALE_FORM)
  @IsString(STALE_FORM)
  request: string;

  @IsIn(['allow', 'refuse'], STALE_FORM)
  decision: 'allow' | 'refuse';
}

/** Where apps send people, and where people see which apps they have connected. */
@FormPages()
export class ConnectController {
  constructor(private readonly apps: ConnectedApps) {}

  @Get('oauth2/authorize')
  async authorize(@Req() request: Request, @Res() response: Response): Promise<void> {
    response.redirect(303, await this.apps.authorize(queryOf(request), request.headers));
  }

  @Get('connect')
  @UseGuards(SessionGuard)
  async ask(@SignedIn() account: Account, @Req() request: Request, @Res() response: Response): Promise<void> {
    const query = queryOf(request);
    const { name, redirectUri } = await this.apps.findRequest(new URLSearchParams(query));
    // The answer to the form leads there.
    allowFormsTo(response, redirectUri);
    response
      .type('html')
      .send(connectPage({ name, redirectUri, request: query, email: account.email, tier: account.tier }));
  }

  @Post('connect')
  @UseGuards(SessionGuard)
  async decide(
    @Body() form: DecisionForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    response.redirect(303, await this.apps.decide(form.request, form.decision === 'allow', request.headers));
  }

  @Get('profile/apps')
  @UseGuards(SessionGuard)
  async list(@SignedIn() { id }: Account): Promise<string> {
    return appsPage({ apps: await this.apps.list(id) });
  }

  @Post('profile/apps/:id/disconnect')
  @HttpCode(200)
  @UseGuards(SessionGuard)
  async disconnect(@SignedIn() { id }: Account, @Param('id') clientId: string): Promise<string> {
    await this.apps.disconnect(id, clientId);
    return appsPage({
      apps: await this.apps.list(id),
      notice: 'The app is disconnected, and its tokens work no longer.',
    });
  }
}

function queryOf({ originalUrl }: Request): string {
  const start = originalUrl.indexOf('?');
  return start === -1 ? '' : originalUrl.slice(start + 1);
}
