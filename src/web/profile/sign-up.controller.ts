import { Body, Get, HttpCode, Ip, Post, Query, Redirect } from '@nestjs/common';
import { NoParameters } from '../../errors/validation.pipe.js';
import { AddressForm, ConfirmForm, NewPasswordForm } from './account.dto.js';
import { AccountsService } from '../../accounts/accounts.service.js';
import { FormPages } from './form-page.decorator.js';
import { confirmEmailPage, mailSentPage, signUpPage } from './sign-in-pages.js';

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
