import { applyDecorators, Controller, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { IgnoresKeys } from '../../access/requirements.js';
import { FormBodyGuard } from './form-body.js';
import { PageErrorFilter } from './page-error.filter.js';
import { SameOriginGuard } from './same-origin.guard.js';

/** A controller of pages for people: no API key is looked at, forms come from here and can be read, failures are pages. */
export function FormPages(): ClassDecorator {
  return applyDecorators(
    Controller(),
    ApiExcludeController(),
    IgnoresKeys(),
    UseGuards(SameOriginGuard, FormBodyGuard),
    UseFilters(PageErrorFilter),
  );
}
