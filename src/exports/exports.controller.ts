import {
  applyDecorators,
  Controller,
  Get,
  Header,
  Headers,
  HttpCode,
  Param,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { ApiIdempotencyKey } from '../access/idempotent-requests.js';
import { REQUIREMENTS, RequiresScope, RequiresTier } from '../access/requirements.js';
import { ApiFailures } from '../errors/api-failures.decorator.js';
import type { ErrorCode } from '../errors/error-codes.js';
import { NoParameters } from '../errors/validation.pipe.js';
import { FORMATS } from './export.repository.js';
import {
  DownloadQuery,
  ExportAddress,
  ExportDto,
  ExportFileAddress,
  ExportsQuery,
  ExportLinks,
  ExportList,
  ExportStatus,
  LatestExportQuery,
} from './exports.dto.js';
import { ExportsService } from './exports.service.js';

const BINARY = { schema: { type: 'string', format: 'binary' } } as const;
const FILE_CONTENT = Object.fromEntries(Object.values(FORMATS).map((type) => [type, BINARY]));
const RANGE_HEADERS = {
  'Accept-Ranges': { description: 'Always `bytes`.', schema: { type: 'string' } },
  'Last-Modified': { description: 'The moment that it shows.', schema: { type: 'string' } },
} as const;

@ApiTags('Exports')
@Controller()
export class ExportsController {
  constructor(private readonly exports: ExportsService) {}

  @Get('api/v1/exports')
  @ForExports()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    operationId: 'listExports',
    summary: 'The dataset as files: what there is',
    description:
      'Manifests, newest first. A snapshot of the whole dataset and a diff from the one before are made ' +
      'every day; with full fields and their evidence, sorted by name, in parts of at most 400,000 ' +
      'rows, each as NDJSON, CSV and Parquet. A snapshot and the diff behind it give the next snapshot, ' +
      'byte for byte of the uncompressed NDJSON. Costs nothing. Needs a tier with exports, and a key ' +
      'with the scope export.',
  })
  @ApiOkResponse({ type: ExportList, description: 'A page of manifests.' })
  @ExportFailures('tier_required')
  listExports(@Query() query: ExportsQuery): Promise<ExportList> {
    return this.exports.listExports(query);
  }

  @Get('api/v1/exports/status')
  @Header('Cache-Control', 'public, max-age=60')
  @ApiOperation({
    operationId: 'getExportStatus',
    summary: 'The last exports, and when the next are due',
    description: 'The last of each kind, and when the next is due. Needs no key. Costs nothing.',
  })
  @ApiOkResponse({ type: ExportStatus, description: 'What there is.' })
  @ApiFailures()
  getStatus(@Query() _: NoParameters): Promise<ExportStatus> {
    return this.exports.readStatus();
  }

  @Get('api/v1/exports/latest/manifest.json')
  @ForExports()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    operationId: 'getLatestExport',
    summary: 'The manifest of the newest export',
    description:
      'Of the newest snapshot, or of the newest of another kind. A copy that follows asks for the newest ' +
      'diff, and applies it where `base` is the snapshot that it has. Costs nothing.',
  })
  @ApiOkResponse({ type: ExportDto, description: 'Its manifest.' })
  @ExportFailures('tier_required', 'not_found')
  getLatestExport(@Query() query: LatestExportQuery): Promise<ExportDto> {
    return this.exports.readLatest(query);
  }

  @Get('api/v1/exports/:id/manifest.json')
  @ForExports()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    operationId: 'getExport',
    summary: 'The manifest of an export',
    description: 'As it lies beside the files of the export. Costs nothing.',
  })
  @ApiOkResponse({ type: ExportDto, description: 'The manifest.' })
  @ExportFailures('tier_required', 'not_found')
  getExport(@Query() _: NoParameters, @Param() address: ExportAddress): Promise<ExportDto> {
    return this.exports.readManifest(address);
  }

  @Post('api/v1/exports/:id/links')
  @HttpCode(200)
  @ForExports()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'makeExportLinks',
    summary: 'Addresses that need no key',
    description:
      'For tools that send no header: an address for each file of the export, good for an hour for ' +
      'whoever has it. Costs nothing.',
  })
  @ApiIdempotencyKey('it is answered with the same addresses while they are good.')
  @ApiOkResponse({ type: ExportLinks, description: 'The addresses.' })
  @ExportFailures('tier_required', 'not_found', 'idempotency_conflict')
  makeLinks(
    @Query() _: NoParameters,
    @Param() address: ExportAddress,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @CurrentCaller() caller: Caller,
  ): Promise<ExportLinks> {
    return this.exports.makeLinks(address, caller, idempotencyKey);
  }

  @Get('api/v1/exports/:id/:file')
  // A link takes the place of a key, so what a key needs is looked at by the service.
  @REQUIREMENTS.scope('any')
  @ApiOperation({
    operationId: 'downloadExport',
    summary: 'A file of an export',
    description:
      'The file as it lies there; a compressed one is not unpacked on its way. Takes Range and ' +
      'If-Range, so that a download goes on where it broke off (curl -C -), several at once. Costs ' +
      'nothing. Needs a tier with exports and a key with the scope export, or a link.',
  })
  @ApiOkResponse({ description: 'The file.', content: FILE_CONTENT, headers: RANGE_HEADERS })
  @ApiResponse({
    status: 206,
    description: 'The part that Range asks for.',
    content: FILE_CONTENT,
    headers: {
      ...RANGE_HEADERS,
      'Content-Range': { description: 'Which part it is.', schema: { type: 'string' } },
    },
  })
  @ApiResponse({
    status: 302,
    description: 'Where files are kept in an object store: an address there, good for a minute.',
    headers: { Location: { description: 'The address.', schema: { type: 'string' } } },
  })
  @ExportFailures('tier_required', 'link_invalid', 'not_found', 'range_not_satisfiable')
  downloadExport(
    @Param() address: ExportFileAddress,
    @Query() { link }: DownloadQuery,
    @CurrentCaller() caller: Caller,
    @Res() response: Response,
  ): Promise<void> {
    return this.exports.sendFile(address, link, caller, response);
  }
}

function ForExports(): MethodDecorator {
  return applyDecorators(
    RequiresTier((tier) => tier.export),
    RequiresScope('export'),
  );
}

function ExportFailures(...more: ErrorCode[]): MethodDecorator {
  return ApiFailures('key_required', 'key_invalid', 'scope_required', ...more);
}
