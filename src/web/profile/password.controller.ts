import { Body, Get, HttpCode, Ip, Post, Query, Redirect } from '@nestjs/common';
import { NoParameters } from '../../errors/validation.pipe.js';
import { AddressForm, ConfirmForm, NewPasswordForm, StrengthForm } from './account.dto.js';
import { Passwords } from '../../accounts/passwords.service.js';
import { FormPages } from './form-page.decorator.js';
import { forgottenPasswordPage, mailSentPage, newPasswordPage } from './sign-in-pages.js';

/** For those who forgot their password. */
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
  async setPassword(@Body() { token, password }: NewPasswordForm): Promise<{ url: string }> {
    return { url: `/sign-in?done=password-set-${await this.passwords.setNewPassword(token, password)}` };
  }

  /** What the server would say of it, while it is typed: for the script of the pages that choose one. */
  @Post('password-strength')
  @HttpCode(200)
  async judge(@Body() form: StrengthForm, @Ip() address: string): Promise<{ words: string }> {
    return { words: await this.passwords.judge(form, address) };
  }
}
