import { Body, Get, HttpCode, Post, Query, Redirect, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { NoParameters } from '../../errors/validation.pipe.js';
import { CodeForm, DeleteForm } from './account.dto.js';
import type { Account } from '../../accounts/accounts.service.js';
import { FormPages } from './form-page.decorator.js';
import { codePage, newFactorPage, secondFactorPage } from './second-factor-pages.js';
import { SecondFactors } from '../../accounts/second-factors.service.js';
import { takeDestination } from './destination.js';
import { SessionGuard, SignedIn } from './session.guard.js';

@FormPages()
@UseGuards(SessionGuard)
export class SecondFactorController {
  constructor(private readonly factors: SecondFactors) {}

  @Get('profile/second-factor')
  async show(@Req() { headers }: Request, @Query() _: NoParameters): Promise<string> {
    return secondFactorPage({ isOn: await this.factors.isOn(headers) });
  }

  @Post('profile/second-factor')
  @HttpCode(201)
  async begin(
    @SignedIn() account: Account,
    @Body() { password }: DeleteForm,
    @Req() { headers }: Request,
  ): Promise<string> {
    return newFactorPage(await this.factors.begin(account, headers, password));
  }

  @Post('profile/second-factor/confirm')
  @Redirect('/profile?done=factor-on', 303)
  async confirm(
    @SignedIn() account: Account,
    @Body() { code }: CodeForm,
    @Req() { headers, ip = '' }: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    response.append('Set-Cookie', [...(await this.factors.turnOn(account, headers, code, ip))]);
  }

  @Post('profile/second-factor/remove')
  @Redirect('/profile?done=factor-off', 303)
  async remove(
    @SignedIn() account: Account,
    @Body() { password }: DeleteForm,
    @Req() { headers, ip = '' }: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    response.append('Set-Cookie', [...(await this.factors.turnOff(account, headers, password, ip))]);
  }
}

/** The second step of signing in, for accounts with a second factor. */
@FormPages()
export class SignInCodeController {
  constructor(private readonly factors: SecondFactors) {}

  @Get('sign-in/code')
  showForm(@Query() _: NoParameters): string {
    return codePage({});
  }

  @Post('sign-in/code')
  @Redirect('/profile/api-keys', 303)
  async signIn(
    @Body() { code }: CodeForm,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ url: string } | undefined> {
    const { headers, ip = '' } = request;
    response.append('Set-Cookie', [...(await this.factors.signIn(headers, code, ip))]);
    const url = takeDestination(request, response);
    return url === null ? undefined : { url };
  }
}
