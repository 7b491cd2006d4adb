import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Patch,
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
import { RequiresScope } from '../../access/requirements.js';
import { ApiFailures, ApiIfMatch } from '../../errors/api-failures.decorator.js';
import { assertMatchesAnswer } from '../../errors/conditions.js';
import { ACCOUNT_FAILURES } from '../../errors/error-codes.js';
import { JsonBodyGuard, NoParameters } from '../../errors/validation.pipe.js';
import {
  bodyOf,
  NewRegistrantBody,
  readRegistrant,
  RegistrantChanges,
  RegistrantId,
  RegistrantList,
  RegistrantResult,
  toRegistrantDto,
} from './registrant.dto.js';
import {
  MAX_REGISTRANTS,
  type RegistrantProfile,
  sortReadable,
  type StoredRegistrant,
} from './registrant.repository.js';
import { type Customer, RegistrantsService } from './registrants.service.js';

const CHANGE_FAILURES = [...ACCOUNT_FAILURES, 'not_eligible', 'unsupported_media_type'] as const;

@ApiTags('Orders')
@Controller('api/v1/registrants')
@UseGuards(JsonBodyGuard)
export class RegistrantsController {
  constructor(private readonly registrants: RegistrantsService) {}

  @Get()
  @RequiresScope('orders:read')
  @ApiOperation({
    operationId: 'listRegistrants',
    summary: 'Your registrants',
    description: 'Who may hold the names that you order. Costs nothing.',
  })
  @ApiOkResponse({ type: RegistrantList, description: 'The registrants.' })
  @ApiFailures(...ACCOUNT_FAILURES)
  async list(@Query() _: NoParameters, @CurrentCaller() caller: Caller): Promise<RegistrantList> {
    const profiles = await this.registrants.list(customerOf(caller).accountId);
    return { ok: true, ...listOf(profiles), max: MAX_REGISTRANTS };
  }

  @Post()
  @RequiresScope('orders:place')
  @ApiOperation({
    operationId: 'addRegistrant',
    summary: 'Add a registrant',
    description: 'A holder of an ABN or ACN. It is kept encrypted. Costs nothing.',
  })
  @ApiIdempotencyKey('within a day it is answered with the registrant that it added.')
  @ApiCreatedResponse({ type: RegistrantResult, description: 'The registrant.', headers: LOCATION_HEADER })
  @ApiFailures(...CHANGE_FAILURES, 'limit_reached', 'idempotency_conflict')
  async add(
    @Query() _: NoParameters,
    @Body() body: NewRegistrantBody,
    @Headers('idempotency-key') key: string | undefined,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RegistrantResult> {
    const added = await this.registrants.add(readRegistrant(body), customerOf(caller), key);
    response.location(`/api/v1/registrants/${added.id}`);
    return resultOf(added);
  }

  @Get(':id')
  @RequiresScope('orders:read')
  @ApiOperation({
    operationId: 'getRegistrant',
    summary: 'One registrant',
    description: 'As it is now. Costs nothing.',
  })
  @ApiOkResponse({ type: RegistrantResult, description: 'The registrant.' })
  @ApiFailures(...ACCOUNT_FAILURES, 'not_found')
  async read(
    @Query() _: NoParameters,
    @Param() { id }: RegistrantId,
    @CurrentCaller() caller: Caller,
  ): Promise<RegistrantResult> {
    return resultOf(await this.registrants.read(customerOf(caller).accountId, id));
  }

  @Patch(':id')
  @RequiresScope('orders:place')
  @ApiOperation({
    operationId: 'changeRegistrant',
    summary: 'Change a registrant',
    description: 'For orders that are placed from now on: placed ones keep it as it was. Costs nothing.',
  })
  @ApiOkResponse({ type: RegistrantResult, description: 'The changed registrant.' })
  @ApiFailures(...CHANGE_FAILURES, 'not_found')
  @ApiIfMatch()
  async change(
    @Query() _: NoParameters,
    @Param() { id }: RegistrantId,
    @Body() changes: RegistrantChanges,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentCaller() caller: Caller,
  ): Promise<RegistrantResult> {
    const customer = customerOf(caller);
    const found = await this.registrants.read(customer.accountId, id);
    assertMatchesAnswer(ifMatch, () => resultOf(found));
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const changed = readRegistrant({ ...bodyOf(found.registrant), ...Object.fromEntries(given) });
    return resultOf(await this.registrants.change(id, changed, customer));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresScope('orders:place')
  @ApiOperation({
    operationId: 'removeRegistrant',
    summary: 'Remove a registrant',
    description: 'Placed orders keep it as it was. Costs nothing.',
  })
  @ApiNoContentResponse({ description: 'It is removed.' })
  @ApiFailures(...ACCOUNT_FAILURES, 'not_found')
  @ApiIfMatch()
  async remove(
    @Query() _: NoParameters,
    @Param() { id }: RegistrantId,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    const customer = customerOf(caller);
    if (ifMatch !== undefined) {
      const found = await this.registrants.read(customer.accountId, id);
      assertMatchesAnswer(ifMatch, () => resultOf(found));
    }
    await this.registrants.remove(id, customer);
  }
}

function listOf(profiles: readonly StoredRegistrant[]): Pick<RegistrantList, 'results' | 'unreadable'> {
  const { readable, unreadable } = sortReadable(profiles);
  return { results: readable.map(toRegistrantDto), unreadable: unreadable.map(({ id }) => id) };
}

function resultOf(profile: RegistrantProfile): RegistrantResult {
  return { ok: true, registrant: toRegistrantDto(profile) };
}

function customerOf(caller: Caller): Customer {
  return { caller, accountId: ownerOf(caller) };
}
