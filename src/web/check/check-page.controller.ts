import {
  Body,
  Controller,
  Get,
  Header,
  HttpStatus,
  Param,
  Post,
  Query,
  Req,
  Res,
  UploadedFile,
  UseFilters,
  UseInterceptors,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresKeys } from '../../access/requirements.js';
import { type Visitor, SessionResolver } from '../../access/session-resolver.js';
import { MAX_BODY_BYTES } from '../../errors/request-body.js';
import { PageErrorFilter } from '../layout/error-pages.js';
import { assertFromHere } from '../layout/page-requests.js';
import { CheckPageService } from './check-page.service.js';

const LIMITS = { files: 1, fields: 5, parts: 6, fileSize: MAX_BODY_BYTES, fieldSize: MAX_BODY_BYTES };

/** Checks a list of names. */
@ApiExcludeController()
@IgnoresKeys()
@UseFilters(PageErrorFilter)
@Controller('check')
export class CheckPageController {
  constructor(
    private readonly checks: CheckPageService,
    private readonly sessions: SessionResolver,
  ) {}

  @Get()
  async showForm(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    return this.checks.showForm(await this.visitorOf(request, response));
  }

  /** The answers have an address of their own, which can be loaded again at no cost. */
  @Post()
  @UseInterceptors(FileInterceptor('file', { limits: LIMITS }))
  async begin(
    @Body() body: unknown,
    @UploadedFile() file: { readonly buffer: Buffer } | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    assertFromHere(request);
    const visitor = await this.visitorOf(request, response);
    const begun = await this.checks.begin([textOf(body), file?.buffer.toString() ?? ''], visitor);
    if ('address' in begun) response.redirect(HttpStatus.SEE_OTHER, begun.address);
    else response.status(begun.status).type('html').send(begun.html);
  }

  @Get(':token.csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  @Header('Content-Disposition', 'attachment; filename="checked-names.csv"')
  async writeCsv(
    @Param('token') token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return this.checks.writeCsv(token, await this.visitorOf(request, response));
  }

  @Get(':token')
  async showAnswers(
    @Param('token') token: string,
    @Query('more') more: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return this.checks.showAnswers(token, more !== undefined, await this.visitorOf(request, response));
  }

  private visitorOf(request: Request, response: Response): Promise<Visitor> {
    return this.sessions.resolve(request, response);
  }
}

function textOf(body: unknown): string {
  const names = typeof body === 'object' && body !== null && 'names' in body ? body.names : '';
  return typeof names === 'string' ? names : '';
}
