import {
  Body,
  Get,
  Header,
  HttpStatus,
  Param,
  Post,
  Query,
  Req,
  Res,
  UploadedFile,
  UseInterceptors,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import type { Visitor } from '../../access/session-resolver.js';
import { MAX_BODY_BYTES } from '../../errors/request-body.js';
import { assertFromHere } from '../layout/page-requests.js';
import { CurrentVisitor, PublicPages } from '../layout/public-pages.js';
import { CheckPageService } from './check-page.service.js';

const LIMITS = { files: 1, fields: 5, parts: 6, fileSize: MAX_BODY_BYTES, fieldSize: MAX_BODY_BYTES };

/** Checks a list of names. */
@PublicPages('check')
export class CheckPageController {
  constructor(private readonly checks: CheckPageService) {}

  @Get()
  showForm(@CurrentVisitor() visitor: Visitor): Promise<string> {
    return this.checks.showForm(visitor);
  }

  /** The answers have an address of their own, which can be loaded again at no cost. */
  @Post()
  @UseInterceptors(FileInterceptor('file', { limits: LIMITS }))
  async begin(
    @Body() body: unknown,
    @UploadedFile() file: { readonly buffer: Buffer } | undefined,
    @CurrentVisitor() visitor: Visitor,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    assertFromHere(request);
    const begun = await this.checks.begin([textOf(body), file?.buffer.toString() ?? ''], visitor);
    if ('address' in begun) response.redirect(HttpStatus.SEE_OTHER, begun.address);
    else response.status(begun.status).type('html').send(begun.html);
  }

  @Get(':token.csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  @Header('Content-Disposition', 'attachment; filename="checked-names.csv"')
  writeCsv(@Param('token') token: string, @CurrentVisitor() visitor: Visitor): Promise<string> {
    return this.checks.writeCsv(token, visitor);
  }

  @Get(':token')
  showAnswers(
    @Param('token') token: string,
    @Query('more') more: unknown,
    @CurrentVisitor() visitor: Visitor,
  ): Promise<string> {
    return this.checks.showAnswers(token, more !== undefined, visitor);
  }
}

function textOf(body: unknown): string {
  const names = typeof body === 'object' && body !== null && 'names' in body ? body.names : '';
  return typeof names === 'string' ? names : '';
}
