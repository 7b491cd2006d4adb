import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { ApiIdempotencyKey, LOCATION_HEADER } from '../../access/idempotent-requests.js';
import { Config } from '../../config/config.js';
import { REQUEST_CONTENT } from '../../errors/validation.pipe.js';
import { ApiFailures, RETRY_AFTER } from '../../errors/api-failures.decorator.js';
import { CostsRecords } from '../../access/requirements.js';
import { RATE_RESPONSE_HEADERS, setMeteredHeaders } from '../../access/rate.dto.js';
import { BulkBodyInterceptor, CSV_TYPE, NDJSON_TYPE } from './name-list.js';
import {
  BULK_SECONDS,
  BulkCheckAddress,
  BulkCheckQuery,
  BulkCheckRequest,
  BulkCheckResult,
  DEFAULT_WAIT_SECONDS,
  type BulkCheckItem,
} from './check.dto.js';
import { BulkCheckService } from './bulk-check.service.js';
import { csvLine } from '../../validation/formats.js';

type Cell = string | number | boolean | null | undefined;

/** The columns of a bulk check as CSV, in their order; new ones come behind. */
const COLUMNS: Readonly<Record<string, (item: BulkCheckItem) => Cell>> = {
  domain: ({ domain }) => domain,
  status: ({ status }) => status,
  available: ({ result }) => result?.available,
  registered: ({ result }) => result?.registered,
  registry_state: ({ result }) => result?.registry.state,
  registry_source: ({ result }) => result?.registry.source,
  checked_at: ({ result }) => result?.registry.checked_at,
  cached: ({ result }) => result?.registry.cached,
  registrable: ({ result }) => result?.registrable,
  reason: ({ result }) => result?.reason,
  known: ({ result }) => result?.known,
  hidden: ({ result }) => result?.hidden,
  tld: ({ result }) => result?.tld,
  length: ({ result }) => result?.length,
  wayback: ({ result }) => result?.wayback,
  first_seen: ({ result }) => result?.first_seen,
  register_url: ({ result }) => result?.register_url,
  error_code: ({ error }) => error?.code,
  error_message: ({ error }) => error?.message,
};

/** One row per name, with a heading (RFC 4180). Absent and null values are empty. */
export function toCsv(items: readonly BulkCheckItem[]): string {
  const rows = items.map((item) => Object.values(COLUMNS).map((read) => read(item) ?? null));
  return [Object.keys(COLUMNS), ...rows].map((cells) => csvLine(cells).replace(/\n$/, '\r\n')).join('');
}

/** A line a name, each as in the list of the JSON answer. */
function toNdjson(items: readonly BulkCheckItem[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join('');
}

const JSON_TYPE = 'application/json';
const TEXT = { schema: { type: 'string' as const } };
const ANSWERED = {
  description: 'The names, as far as they are answered.',
  headers: {
    ...RATE_RESPONSE_HEADERS,
    ...RETRY_AFTER,
    Link: { description: 'Where names are pending: the address of the rest, rel="next".', ...TEXT },
  },
  content: {
    [JSON_TYPE]: { schema: { $ref: getSchemaPath(BulkCheckResult) } },
    [CSV_TYPE]: TEXT,
    [NDJSON_TYPE]: TEXT,
  },
};
const FORMS =
  'With `Accept: text/csv` or `application/x-ndjson` the names are rows or lines, and the ' +
  'headers Retry-After and Link tell of the rest.';

@ApiTags('Availability')
@ApiExtraModels(BulkCheckRequest, BulkCheckResult)
@Controller('api/v1/domains')
export class BulkCheckController {
  constructor(
    private readonly bulk: BulkCheckService,
    private readonly config: Config,
  ) {}

  @Post('check')
  @HttpCode(200)
  @CostsRecords()
  @UseInterceptors(BulkBodyInterceptor)
  @ApiOperation({
    operationId: 'checkDomains',
    summary: 'Live availability of up to 200 .au names',
    description:
      `What is known is answered at once, the rest at the registry's pace for \`wait\` seconds; ` +
      'what is open then is `pending` and goes on, to be fetched with the token. Each name costs ' +
      'one record when it is answered. Records are held for names that are pending, and given back ' +
      `for those without an answer after ${BULK_SECONDS / 60} minutes. Names beyond what the ` +
      'budget has left fail with `budget_exhausted`. A name that is no .au name fails by itself. ' +
      'The body may also be CSV (the column `domain`, or the first) or a JSON text or object a ' +
      `line. ${FORMS}`,
  })
  // Nest describes one type for all.
  @ApiExtension(REQUEST_CONTENT, { [CSV_TYPE]: TEXT, [NDJSON_TYPE]: TEXT })
  @ApiIdempotencyKey(
    'for an hour it makes one check, charged once, and is answered with the answers there are by then. For ' +
      'callers with a key.',
  )
  @ApiOkResponse({ ...ANSWERED, headers: { ...ANSWERED.headers, ...LOCATION_HEADER } })
  @ApiFailures('unsupported_media_type', 'budget_exhausted', 'idempotency_conflict')
  async checkDomains(
    @Query() query: BulkCheckQuery,
    @Body() { domains, wait = query.wait ?? DEFAULT_WAIT_SECONDS }: BulkCheckRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @CurrentCaller() caller: Caller,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BulkCheckResult | string> {
    const { result, token } = await this.bulk.checkOnce(domains, wait, caller, idempotencyKey);
    if (token !== null) response.location(`/api/v1/domains/checks/${token}`);
    return this.send(result, request, response);
  }

  @Get('checks/:token')
  @ApiOperation({
    operationId: 'fetchBulkCheck',
    summary: 'The answers of a bulk check',
    description:
      'All names of the check in their order, those that were pending as well, as far as they are ' +
      'answered within `wait` seconds. For the caller who began it, and for an hour. Costs ' +
      `nothing more. ${FORMS}`,
  })
  @ApiOkResponse(ANSWERED)
  @ApiFailures('not_found')
  async fetchBulkCheck(
    @Param() { token }: BulkCheckAddress,
    @Query() { wait = DEFAULT_WAIT_SECONDS }: BulkCheckQuery,
    @CurrentCaller() caller: Caller,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BulkCheckResult | string> {
    return this.send(await this.bulk.fetchRest(token, wait, caller), request, response);
  }

  private send(result: BulkCheckResult, request: Request, response: Response): BulkCheckResult | string {
    const { token, retry_after: retryAfter, results } = result;
    response.vary('Accept');
    if (retryAfter !== null) response.set('Retry-After', String(retryAfter));
    if (token !== null)
      response.set('Link', `<${this.config.links.baseUrl}/api/v1/domains/checks/${token}>; rel="next"`);
    const type = request.accepts([JSON_TYPE, CSV_TYPE, NDJSON_TYPE]);
    if (type !== CSV_TYPE && type !== NDJSON_TYPE) return result;
    setMeteredHeaders(request, response, result);
    response.type(`${type}; charset=utf-8`);
    return type === CSV_TYPE ? toCsv(results) : toNdjson(results);
  }
}
