import { Body, Get, HttpCode, Param, Post, Query, Redirect, UseGuards } from '@nestjs/common';
import type { Account } from '../accounts.service.js';
import { CreateKeyForm, KeyPath, RenameKeyForm, ReplaceKeyForm } from './api-keys.dto.js';
import { ApiKeysService } from './api-keys.service.js';
import { FormPages } from '../pages/form-page.decorator.js';
import { DoneQuery, noticeOf } from '../pages/notices.js';
import { apiKeysPage, newKeyPage } from '../pages/api-keys-page.js';
import { SessionGuard, SignedIn } from '../session/session.guard.js';

@FormPages()
@UseGuards(SessionGuard)
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get('profile/api-keys')
  async listKeys(@SignedIn() account: Account, @Query() query: DoneQuery): Promise<string> {
    return apiKeysPage({ ...(await this.keys.listKeys(account)), notice: noticeOf(query) });
  }

  @Post('profile/api-keys')
  @HttpCode(201)
  async createKey(@SignedIn() account: Account, @Body() form: CreateKeyForm): Promise<string> {
    return newKeyPage(await this.keys.createKey(account, form));
  }

  @Post('profile/api-keys/:id/rotate')
  @HttpCode(201)
  async replaceKey(
    @SignedIn() account: Account,
    @Param() { id }: KeyPath,
    @Body() form: ReplaceKeyForm,
  ): Promise<string> {
    return newKeyPage(await this.keys.replaceKey(account, id, form));
  }

  @Post('profile/api-keys/:id/rename')
  @Redirect('/profile/api-keys?done=renamed', 303)
  renameKey(
    @SignedIn() account: Account,
    @Param() { id }: KeyPath,
    @Body() { name }: RenameKeyForm,
  ): Promise<void> {
    return this.keys.renameKey(account, id, name);
  }

  @Post('profile/api-keys/:id/revoke')
  @Redirect('/profile/api-keys?done=revoked', 303)
  revokeKey(@SignedIn() account: Account, @Param() { id }: KeyPath): Promise<void> {
    return this.keys.revokeKey(account, id);
  }
}
