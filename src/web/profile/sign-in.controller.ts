import { Body, Get, HttpCode, Ip, Post, Query, Redirect, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Account, AccountsService } from '../../accounts/accounts.service.js';
import { Passkeys } from '../../accounts/passkeys.service.js';
import { Passwords } from '../../accounts/passwords.service.js';
import { SecondFactors } from '../../accounts/second-factors.service.js';
import { StepUp } from '../../accounts/step-up.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { FormPages, SessionGuard, SignedIn } from './form-pages.js';
import {
  AddressForm,
  CodeForm,
  ConfirmForm,
  NewPasswordForm,
  ConfirmIdentityForm,
  PasskeyAnswerForm,
  SignInForm,
  StrengthForm,
} from './forms.dto.js';
import {
  codePage,
  confirmEmailPage,
  confirmIdentityPage,
  DoneQuery,
  forgottenPasswordPage,
  mailSentPage,
  newPasswordPage,
  noticeOf,
  signInPage,
  signUpPage,
} from './page.js';
import { takeDestination } from './page-error.filter.js';

/** Undefined: the address of the Redirect decorator. */
type Destination = { url: string } | undefined;

function destinationOf(request: Request, response: Response): Destination {
  const url = takeDestination(request, response);
  return url === null ? undefined : { url };
}

@FormPages()
export class SignUpController {
  constructor(private readonly accounts: AccountsService) {}

  @Get('sign-up')
  showForm(@Query() _: NoParameters): string {
    return signUpPage({});
  }

  @Post('sign-up')
  @HttpCode(200)
  async signUp(@Body() { email }: AddressForm, @Ip() address: string): Promise<string> {
    await this.accounts.signUp(email, address);
    return mailSentPage({ email });
  }

  @Get('confirm-email')
  showConfirmation(@Query() { token }: ConfirmForm): string {
    return confirmEmailPage({ token });
  }

  @Post('confirm-email')
  @Redirect('', 303)
  async confirm(
    @Body() { token, password }: NewPasswordForm,
    @Ip() address: string,
  ): Promise<{ url: string }> {
    const strength = await this.accounts.confirmAddress(token, password, address);
    return { url: `/sign-in?done=confirmed-${strength}` };
  }
}

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
  ): Promise<Destination> {
    const agent = request.headers['user-agent'];
    const { cookies, needsCode } = await this.accounts.signIn(form, address, agent);
    response.append('Set-Cookie', [...cookies]);
    if (needsCode) return { url: '/sign-in/code' };
    return destinationOf(request, response);
  }

  @Post('sign-out')
  @Redirect('/sign-in?done=signed-out', 303)
  async signOut(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    response.append('Set-Cookie', [...(await this.accounts.signOut(request.headers))]);
  }
}

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
  ): Promise<Destination> {
    const { headers, ip = '' } = request;
    response.append('Set-Cookie', [...(await this.factors.signIn(headers, code, ip))]);
    return destinationOf(request, response);
  }
}

/** A fresh proof in a session that began a while ago. */
@FormPages()
@UseGuards(SessionGuard)
export class ConfirmIdentityController {
  constructor(private readonly stepUp: StepUp) {}

  @Get('sign-in/confirm')
  showForm(@Query() _: NoParameters): string {
    return confirmIdentityPage({});
  }

  @Post('sign-in/confirm')
  @Redirect('/profile/security', 303)
  async confirm(
    @SignedIn() account: Account,
    @Body() form: ConfirmIdentityForm,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Destination> {
    await this.stepUp.prove(account, request.headers, form);
    return destinationOf(request, response);
  }
}

@FormPages()
export class SignInPasskeyController {
  constructor(private readonly passkeys: Passkeys) {}

  /** For passkeys.js. */
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
  ): Promise<Destination> {
    const { headers, ip = '' } = request;
    response.append('Set-Cookie', [...(await this.passkeys.signIn(headers, form.response, ip))]);
    return destinationOf(request, response);
  }
}

@FormPages()
export class PasswordController {
  constructor(private readonly passwords: Passwords) {}

  @Get('forgotten-password')
  showForgotten(@Query() _: NoParameters): string {
    return forgottenPasswordPage({});
  }

  @Post('forgotten-password')
  @HttpCode(200)
  async requestLink(@Body() { email }: AddressForm, @Ip() address: string): Promise<string> {
    await this.passwords.requestNewPassword(email, address);
    return mailSentPage({ email });
  }

  @Get('new-password')
  showForm(@Query() { token }: ConfirmForm): string {
    return newPasswordPage({ token });
  }

  @Post('new-password')
  @Redirect('', 303)
  async setPassword(
    @Body() { token, password }: NewPasswordForm,
    @Ip() address: string,
  ): Promise<{ url: string }> {
    const strength = await this.passwords.setNewPassword(token, password, address);
    return { url: `/sign-in?done=password-set-${strength}` };
  }

  /** Judges a password while it is typed, for site.js. */
  @Post('password-strength')
  @HttpCode(200)
  async judge(@Body() form: StrengthForm, @Ip() address: string): Promise<{ words: string }> {
    return { words: await this.passwords.judge(form, address) };
  }
}
