import { Body, Get, HttpCode, Ip, Post, Query, Redirect } from '@nestjs/common';
import { NoParameters } from '../errors/requests/no-parameters.dto.js';
import { ConfirmForm, SignUpForm } from './account.dto.js';
import { AccountsService } from './accounts.service.js';
import { FormPages } from './pages/form-page.decorator.js';
import { confirmEmailPage, mailSentPage, signUpPage } from './pages/sign-in-pages.js';

@FormPages()
export class SignUpController {
  constructor(private readonly accounts: AccountsService) {}

  @Get('sign-up')
  showForm(@Query() _: NoParameters): string {
    return signUpPage({});
  }

  @Post('sign-up')
  @HttpCode(200)
  async signUp(@Body() form: SignUpForm, @Ip() address: string): Promise<string> {
    await this.accounts.signUp(form, address);
    return mailSentPage({ email: form.email });
  }

  @Get('confirm-email')
  showConfirmation(@Query() { token }: ConfirmForm): string {
    return confirmEmailPage({ token });
  }

  @Post('confirm-email')
  @Redirect('/sign-in?done=confirmed', 303)
  confirm(@Body() { token }: ConfirmForm): Promise<void> {
    return this.accounts.confirmAddress(token);
  }
}
