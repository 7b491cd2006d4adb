import { Get, Query, UseGuards } from '@nestjs/common';
import { FormPages } from './form-page.decorator.js';
import { definePage } from './page.js';
import { SessionGuard } from './session.guard.js';
import { NoParameters } from '../../errors/validation.pipe.js';

const page = definePage('Webhooks', '<p>This installation delivers no webhooks.</p>', {
  signedIn: true,
  section: '/profile/webhooks',
});

/** Where webhooks are switched off. */
@FormPages()
@UseGuards(SessionGuard)
export class NoWebhooksController {
  @Get('profile/webhooks')
  show(@Query() _: NoParameters): string {
    return page({});
  }
}
