import { Body, Get, HttpCode, Ip, Post, Query, Redirect, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AccountProblem } from '../../accounts/account-problem.js';
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

/** The request waits from when it is called. */
const waitsOf = (response: Response) => () => response.endWork?.();

/** Signs in with the password that was just chosen. @returns the next page */
async function signInWith(
  accounts: AccountsService,
  credentials: { email: string; password: string },
  done: string,
  { headers, ip = '' }: Request,
  response: Response,
): Promise<string> {
  try {
    const { cookies, needsCode } = await accounts.signIn(
      credentials,
      ip,
      waitsOf(response),
      headers['user-agent'],
    );
    response.append('Set-Cookie', [...cookies]);
    return needsCode ? '/sign-in/code' : `/sign-in/next?done=${done}`;
  } catch (error) {
    // The password is saved: a limit on signing in is no reason to say otherwise.
    if (!(error instanceof AccountProblem)) throw error;
    return `/sign-in?done=${done}`;
  }
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
  async signUp(
    @Body() { email }: AddressForm,
    @Ip() address: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    await this.accounts.signUp(email, address, waitsOf(response));
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
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ url: string }> {
    const { email, strength } = await this.accounts.confirmAddress(token, password, address);
    return {
      url: await signInWith(this.accounts, { email, password }, `confirmed-${strength}`, request, response),
    };
  }
}

@FormPages()
export class SignInController {
  constructor(private readonly accounts: AccountsService) {}

  @Get('sign-in')
  showForm(@Query() query: DoneQuery): string {
    return signInPage({ notice: noticeOf(query) });
  }

  /** Behind a new password: the page that asked for a session, or else the account. */
  @Get('sign-in/next')
  @Redirect('', 303)
  goOn(
    @Query() { done }: DoneQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): { url: string } {
    return (
      destinationOf(request, response) ?? { url: `/profile${done === undefined ? '' : `?done=${done}`}` }
    );
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
    const { cookies, needsCode } = await this.accounts.signIn(form, address, waitsOf(response), agent);
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
  constructor(
    private readonly passwords: Passwords,
    private readonly accounts: AccountsService,
  ) {}

  @Get('forgotten-password')
  showForgotten(@Query() _: NoParameters): string {
    return forgottenPasswordPage({});
  }

  @Post('forgotten-password')
  @HttpCode(200)
  async requestLink(
    @Body() { email }: AddressForm,
    @Ip() address: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    await this.passwords.requestNewPassword(email, address, waitsOf(response));
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
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ url: string }> {
    const { email = '', strength } = await this.passwords.setNewPassword(token, password, address);
    return {
      url: await signInWith(
        this.accounts,
        { email, password },
        `password-set-${strength}`,
        request,
        response,
      ),
    };
  }

  /** Judges a password while it is typed, for site.js. */
  @Post('password-strength')
  @HttpCode(200)
  async judge(@Body() form: StrengthForm, @Ip() address: string): Promise<{ words: string }> {
    return { words: await this.passwords.judge(form, address) };
  }
}
