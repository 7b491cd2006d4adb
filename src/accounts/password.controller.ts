import { Body, Get, HttpCode, Ip, Post, Query, Redirect } from '@nestjs/common';
import { NoParameters } from '../errors/requests/no-parameters.dto.js';
import { AddressForm, ConfirmForm, NewPasswordForm } from './account.dto.js';
import { AccountsService } from './accounts.service.js';
import { FormPages } from './pages/form-page.decorator.js';
import { forgottenPasswordPage, mailSentPage, newPasswordPage } from './pages/sign-in-pages.js';

/** For those who forgot their password. */
@FormPages()
export class PasswordController {
  constructor(private readonly accounts: AccountsService) {}

  @Get('forgotten-password')
  showForgotten(@Query() _: NoParameters): string {
    return forgottenPasswordPage({});
  }

  @Post('forgotten-password')
  @HttpCode(200)
  async requestLink(@Body() { email }: AddressForm, @Ip() address: string): Promise<string> {
    await this.accounts.requestNewPassword(email, address);
    return mailSentPage({ email });
  }

  @Get('new-password')
  showForm(@Query() { token }: ConfirmForm): string {
    return newPasswordPage({ token });
  }

  @Post('new-password')
  @Redirect('', 303)
  async setPassword(@Body() { token, password }: NewPasswordForm): Promise<{ url: string }> {
    return { url: `/sign-in?done=password-set-${await this.accounts.setNewPassword(token, password)}` };
  }
}
