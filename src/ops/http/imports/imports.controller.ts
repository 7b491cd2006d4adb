import { Controller, Get, Header, Param, Post, Query, Req, StreamableFile } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { createGunzip } from 'node:zlib';
import { NoParameters } from '../../../errors/validation.pipe.js';
import { Operation } from '../access/operation.decorator.js';
import { CurrentOperator, ForOperators, type Operator } from '../access/operator.guard.js';
import { ImportAddress, ImportDetails, Imports, UploadQuery } from './imports.dto.js';
import { OperatorImports } from './operator-imports.js';

@ApiTags('Imports')
@ForOperators()
@Controller()
export class OperatorImportsController {
  constructor(private readonly imports: OperatorImports) {}

  @Post('ops/v1/imports')
  @ApiConsumes('application/octet-stream')
  @ApiBody({
    description: 'The file: CSV, plain or gzipped, with a header.',
    required: true,
    schema: { type: 'string', format: 'binary' },
  })
  @Operation({
    id: 'uploadList',
    summary: 'Import a list',
    description:
      'A dry run unless dry_run is false. Answered when the file is here; how far it is, and what came of it, says the import itself. One at a time.',
    answer: ImportDetails,
    failures: ['bad_request', 'body_too_large', 'limit_reached'],
  })
  upload(
    @Req() request: Request,
    @Query() query: UploadQuery,
    @CurrentOperator() operator: Operator,
  ): Promise<ImportDetails> {
    return this.imports.upload(request, query, { ...operator, reason: query.reason });
  }

  @Get('ops/v1/imports')
  @Operation({ id: 'listImports', summary: 'Imports of the last 30 days', answer: Imports })
  list(@Query() _query: NoParameters): Promise<Imports> {
    return this.imports.list();
  }

  @Get('ops/v1/imports/:id')
  @Operation({
    id: 'showImport',
    summary: 'How far an import is, and what came of it',
    answer: ImportDetails,
    failures: ['not_found'],
  })
  show(@Param() { id }: ImportAddress, @Query() _query: NoParameters): Promise<ImportDetails> {
    return this.imports.show(id);
  }

  @Get('ops/v1/imports/:id/rejects')
  @Header('Content-Disposition', 'attachment; filename="rejects.csv"')
  @ApiProduces('text/csv')
  @Operation({
    id: 'downloadRejects',
    summary: 'The rows that were not imported, as a file',
    description: 'CSV: line, domain, reason.',
    failures: ['not_found'],
  })
  @ApiOkResponse({ description: 'The file.', content: { 'text/csv': { schema: { type: 'string' } } } })
  async readRejects(@Param() { id }: ImportAddress, @Query() _query: NoParameters): Promise<StreamableFile> {
    const packed = await this.imports.readRejects(id);
    const text = createGunzip();
    text.end(packed);
    return new StreamableFile(text, { type: 'text/csv; charset=utf-8' });
  }
}
