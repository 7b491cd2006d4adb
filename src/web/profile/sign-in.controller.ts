import { Body, Get, Ip, Post, Query, Redirect, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { takeDestination } from './destination.js';
import { SignInForm } from './account.dto.js';
import { AccountsService } from '../../accounts/accounts.service.js';
import { FormPages } from './form-page.decorator.js';
import { DoneQuery, noticeOf } from './notices.js';
import { signInPage } from './sign-in-pages.js';

@FormPages()
export class SignInController {
  constructor(private readonly accounts: AccountsService) {}

  @Get('sign-in')
  showForm(@Query() query: DoneQuery): string {
    return signInPage({ notice: noticeOf(query) });
  }

  @Post('sign-in')
  @Redirect('/profile/api-keys', 303)
  async signIn(
    @Body() form: SignInForm,
    @Ip() address: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ url: string } | undefined> {
    const agent = request.headers['user-agent'];
    const { cookies, needsCode } = await this.accounts.signIn(form, address, agent);
    response.append('Set-Cookie', [...cookies]);
    if (needsCode) return { url: '/sign-in/code' };
    const url = takeDestination(request, response);
    return url === null ? undefined : { url };
  }

  @Post('sign-out')
  @Redirect('/sign-in?done=signed-out', 303)
  async signOut(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    response.append('Set-Cookie', [...(await this.accounts.signOut(request.headers))]);
  }
}
