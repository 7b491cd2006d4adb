import { Body, Controller, Get, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { JsonBodyGuard } from '../../../errors/request-body.js';
import { NoParameters } from '../../../errors/validation.pipe.js';
import { Operation } from '../access/operation.decorator.js';
import { CurrentOperator, ForOperators, type Operator } from '../access/operator.guard.js';
import { done, Done, ReasonBody } from '../order.js';
import {
  AccountAddress,
  AccountDetails,
  Accounts,
  AccountsQuery,
  AccountUsage,
  KeyAddress,
  Keys,
  KeysQuery,
  TierBody,
} from './accounts.dto.js';
import { OperatorAccounts } from './operator-accounts.js';

const NOT_FOUND = ['not_found'] as const;

@ApiTags('Accounts')
@ForOperators()
@Controller()
export class OperatorAccountsController {
  constructor(private readonly accounts: OperatorAccounts) {}

  @Get('ops/v1/accounts')
  @Operation({ id: 'listAccounts', summary: 'Accounts, the newest first', answer: Accounts })
  list(@Query() { limit, email }: AccountsQuery): Promise<Accounts> {
    return this.accounts.list(limit, email);
  }

  @Get('ops/v1/accounts/:id')
  @Operation({
    id: 'showAccount',
    summary: 'An account, and what belongs to it',
    answer: AccountDetails,
    failures: NOT_FOUND,
  })
  show(@Param() { id }: AccountAddress, @Query() _query: NoParameters): Promise<AccountDetails> {
    return this.accounts.show({ id });
  }

  @Get('ops/v1/accounts/:id/usage')
  @Operation({
    id: 'showUsage',
    summary: 'What is left of the budgets of an account',
    answer: AccountUsage,
    failures: NOT_FOUND,
  })
  usage(@Param() { id }: AccountAddress, @Query() _query: NoParameters): Promise<AccountUsage> {
    return this.accounts.usage({ id });
  }

  @Post('ops/v1/accounts/:id/tier')
  @UseGuards(JsonBodyGuard)
  @Operation({
    id: 'setTier',
    summary: 'Put an account on a tier',
    description: 'Works within a second on every instance.',
    answer: Done,
    failures: NOT_FOUND,
  })
  async setTier(
    @Param() { id }: AccountAddress,
    @Body() { tier, reason }: TierBody,
    @CurrentOperator() operator: Operator,
  ): Promise<Done> {
    const { before } = await this.accounts.setTier({ id }, tier, { ...operator, reason });
    return done(before !== tier);
  }

  @Post('ops/v1/accounts/:id/disable')
  @UseGuards(JsonBodyGuard)
  @Operation({
    id: 'disableAccount',
    summary: 'Let nobody use an account',
    description:
      'Nobody signs in to it, its keys do not work and its webhooks wait, until it is enabled again.',
    answer: Done,
    failures: NOT_FOUND,
  })
  disable(
    @Param() { id }: AccountAddress,
    @Body() { reason }: ReasonBody,
    @CurrentOperator() operator: Operator,
  ): Promise<Done> {
    return this.accounts.setDisabled({ id }, true, { ...operator, reason });
  }

  @Post('ops/v1/accounts/:id/enable')
  @UseGuards(JsonBodyGuard)
  @Operation({
    id: 'enableAccount',
    summary: 'Let an account work again',
    answer: Done,
    failures: NOT_FOUND,
  })
  enable(
    @Param() { id }: AccountAddress,
    @Body() { reason }: ReasonBody,
    @CurrentOperator() operator: Operator,
  ): Promise<Done> {
    return this.accounts.setDisabled({ id }, false, { ...operator, reason });
  }

  @Post('ops/v1/accounts/:id/remove')
  @UseGuards(JsonBodyGuard)
  @Operation({
    id: 'removeAccount',
    summary: 'Remove an account for good',
    description: 'With its keys, webhooks and all that belongs to it.',
    answer: Done,
    failures: NOT_FOUND,
  })
  remove(
    @Param() { id }: AccountAddress,
    @Body() { reason }: ReasonBody,
    @CurrentOperator() operator: Operator,
  ): Promise<Done> {
    return this.accounts.remove({ id }, { ...operator, reason });
  }

  @Get('ops/v1/keys')
  @Operation({ id: 'listKeys', summary: 'API keys, the newest first', answer: Keys })
  listKeys(@Query() { email, limit }: KeysQuery): Promise<Keys> {
    return this.accounts.listKeys(email ?? null, limit);
  }

  @Post('ops/v1/keys/:id/revoke')
  @UseGuards(JsonBodyGuard)
  @Operation({ id: 'revokeKey', summary: 'Revoke an API key for good', answer: Done, failures: NOT_FOUND })
  revokeKey(
    @Param() { id }: KeyAddress,
    @Body() { reason }: ReasonBody,
    @CurrentOperator() operator: Operator,
  ): Promise<Done> {
    return this.accounts.revokeKey(id, { ...operator, reason });
  }
}
