import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresKeys } from '../auth/requirements.js';
import { API_PREFIXES } from '../config/api-prefixes.js';
import { Config } from '../config/config.js';
import { describeEntry, type Entry, renderChangelog, renderEntry } from './entry-page.js';

const HTML_TYPE = 'text/html';

/** Where everybody begins who knows no more than the host. */
@ApiExcludeController()
@IgnoresKeys()
@Controller()
export class EntryController {
  private readonly entry: Entry;

  constructor({ auth, links }: Config) {
    this.entry = describeEntry(links.baseUrl, API_PREFIXES, auth.enabled);
  }

  @Get()
  @Header('Cache-Control', 'public, max-age=3600')
  showEntry(@Req() request: Request, @Res({ passthrough: true }) response: Response): Entry | string {
    response.vary('Accept');
    return prefersHtml(request) ? renderEntry(this.entry) : this.entry;
  }

  @Get('changelog')
  @Header('Cache-Control', 'public, max-age=3600')
  showChangelog(): string {
    return renderChangelog();
  }
}

/** A browser names HTML; a program that takes anything does not, and is given what it can read. */
function prefersHtml(request: Request): boolean {
  const names = request.headers.accept?.toLowerCase().includes(HTML_TYPE) ?? false;
  return names && request.accepts(['application/json', HTML_TYPE]) === HTML_TYPE;
}
