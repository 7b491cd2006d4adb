import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Query,
  Res,
  UseGuards,
} from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller, ownerOf } from '../../access/caller.js';
import { ApiIdempotencyKey, LOCATION_HEADER } from '../../access/idempotent-requests.js';
import { RequiresScope, RequiresTier } from '../../access/requirements.js';
import { ApiFailures, ApiIfMatch } from '../../errors/api-failures.decorator.js';
import { assertMatchesAnswer } from '../../errors/conditions.js';
import { NAME_FAILURES } from '../../errors/error-codes.js';
import { JsonBodyGuard, NoParameters } from '../../errors/validation.pipe.js';
import { NewWatchBody, toWatchDto, WatchesQuery, WatchId, WatchList, WatchResult } from './watch.dto.js';
import { type WatchingCaller, WatchesService } from './watches.service.js';

const FAILURES = ['key_required', 'key_invalid', 'tier_required', 'scope_required'] as const;

@ApiTags('Watches')
@Controller('api/v1/watches')
@RequiresTier(({ watchedNames, savedSearches }) => watchedNames + savedSearches > 0)
@RequiresScope('webhooks')
@UseGuards(JsonBodyGuard)
export class WatchesController {
  constructor(private readonly watches: WatchesService) {}

  @Get()
  @ApiOperation({
    operationId: 'listWatches',
    summary: 'The names and searches that you watch',
    description:
      'What the account is told of by mail, feed and webhook. The same as the page /watch has. Costs nothing.',
  })
  @ApiOkResponse({ type: WatchList, description: 'What is watched.' })
  @ApiFailures(...FAILURES)
  async listWatches(@Query() query: WatchesQuery, @CurrentCaller() caller: Caller): Promise<WatchList> {
    const { accountId, tier } = watching(caller);
    const { rows, ...page } = await this.watches.list(accountId, query);
    return {
      ok: true,
      results: rows.map(toWatchDto),
      ...page,
      max_names: tier.watchedNames,
      max_searches: tier.savedSearches,
    };
  }

  @Post()
  @ApiOperation({
    operationId: 'addWatch',
    summary: 'Watch a name or a search',
    description:
      'From now on the account is told of it: by mail and feed as /watch says, and by webhooks ' +
      'that have watched_only. What is watched already is told of as this one says. Costs nothing.',
  })
  @ApiIdempotencyKey(
    'within a day it is answered with the watch that it made. Removing that frees the key: sent again, the ' +
      'request makes another.',
  )
  @ApiCreatedResponse({ type: WatchResult, description: 'It is watched.', headers: LOCATION_HEADER })
  @ApiFailures(
    ...FAILURES,
    'invalid_parameter',
    ...NAME_FAILURES,
    'unsupported_media_type',
    'limit_reached',
    'idempotency_conflict',
  )
  async addWatch(
    @Query() _: NoParameters,
    @Body() body: NewWatchBody,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WatchResult> {
    const watch = await this.watches.add(body, watching(caller), idempotencyKey);
    response.location(`/api/v1/watches/${watch.id}`);
    return { ok: true, watch: toWatchDto(watch) };
  }

  @Get(':id')
  @ApiOperation({
    operationId: 'getWatch',
    summary: 'One thing that you watch',
    description: 'As it was set, and whether you are told of it. Costs nothing.',
  })
  @ApiOkResponse({ type: WatchResult, description: 'What is watched.' })
  @ApiFailures(...FAILURES, 'not_found')
  async readWatch(
    @Query() _: NoParameters,
    @Param() { id }: WatchId,
    @CurrentCaller() caller: Caller,
  ): Promise<WatchResult> {
    return this.readAnswer(id, caller);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'removeWatch',
    summary: 'Watch it no more',
    description: 'What was told stays in the list. Costs nothing.',
  })
  @ApiNoContentResponse({ description: 'It is watched no more.' })
  @ApiFailures(...FAILURES, 'not_found')
  @ApiIfMatch()
  async removeWatch(
    @Query() _: NoParameters,
    @Param() { id }: WatchId,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    const found = await this.readAnswer(id, caller);
    assertMatchesAnswer(ifMatch, () => found);
    await this.watches.remove(id, watching(caller));
  }

  private async readAnswer(id: string, caller: Caller): Promise<WatchResult> {
    return { ok: true, watch: toWatchDto(await this.watches.read(id, watching(caller).accountId)) };
  }
}

function watching(caller: Caller): WatchingCaller {
  return { ...caller, accountId: ownerOf(caller) };
}
