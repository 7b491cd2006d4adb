import { Body, Get, HttpCode, Ip, Param, Post, Query, Redirect, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DeleteForm } from './account.dto.js';
import type { Account } from '../../accounts/accounts.service.js';
import { FormPages } from './form-page.decorator.js';
import { DoneQuery, noticeOf } from './notices.js';
import { securityPage } from './security-page.js';
import { SecondFactors } from '../../accounts/second-factors.service.js';
import { takeDestination } from './destination.js';
import { SessionGuard, SignedIn } from './session.guard.js';
import { BeginPasskeyForm, NewPasskeyForm, PasskeyAnswerForm, PasskeyPath } from './passkey.dto.js';
import { Passkeys } from '../../accounts/passkeys.service.js';

@FormPages()
@UseGuards(SessionGuard)
export class SecurityController {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly factors: SecondFactors,
  ) {}

  @Get('profile/security')
  async show(
    @SignedIn() account: Account,
    @Req() { headers }: Request,
    @Query() query: DoneQuery,
  ): Promise<string> {
    return securityPage({
      passkeys: await this.passkeys.list(account),
      takesPasskeys: this.passkeys.isOffered,
      hasFactor: await this.factors.isOn(headers),
      notice: noticeOf(query),
    });
  }

  /** For the page's script. */
  @Post('profile/security/passkeys/options')
  @HttpCode(200)
  async begin(
    @SignedIn() account: Account,
    @Body() form: BeginPasskeyForm,
    @Req() { headers }: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const { options, cookies } = await this.passkeys.beginAdding(account, headers, form);
    response.append('Set-Cookie', [...cookies]);
    return options;
  }

  @Post('profile/security/passkeys')
  @Redirect('/profile/security?done=passkey-added', 303)
  async add(
    @SignedIn() account: Account,
    @Body() form: NewPasskeyForm,
    @Req() { headers, ip = '' }: Request,
  ): Promise<void> {
    await this.passkeys.add(account, headers, form, ip);
  }

  @Post('profile/security/passkeys/:id/remove')
  @Redirect('/profile/security?done=passkey-removed', 303)
  async remove(
    @SignedIn() account: Account,
    @Param() { id }: PasskeyPath,
    @Body() { password }: DeleteForm,
    @Req() { headers, ip = '' }: Request,
  ): Promise<void> {
    await this.passkeys.remove(account, headers, { id, password }, ip);
  }
}

/** Signing in without address and password. */
@FormPages()
export class SignInPasskeyController {
  constructor(private readonly passkeys: Passkeys) {}

  /** For the page's script. */
  @Post('sign-in/passkey/options')
  @HttpCode(200)
  async begin(@Ip() address: string, @Res({ passthrough: true }) response: Response): Promise<object> {
    const { options, cookies } = await this.passkeys.beginSignIn(address);
    response.append('Set-Cookie', [...cookies]);
    return options;
  }

  @Post('sign-in/passkey')
  @Redirect('/profile/api-keys', 303)
  async signIn(
    @Body() form: PasskeyAnswerForm,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ url: string } | undefined> {
    const { headers, ip = '' } = request;
    response.append('Set-Cookie', [...(await this.passkeys.signIn(headers, form.response, ip))]);
    const url = takeDestination(request, response);
    return url === null ? undefined : { url };
  }
}
