import type { Mail } from '../../../accounts/mailer.js';

export function webhookDisabledMail(to: string, url: string, reason: string): Mail {
  return {
    to,
    subject: 'A webhook of yours was switched off',
    text: `Deliveries to ${url} have stopped: ${reason}. What was missed is in the feed, and can be replayed once you have switched the webhook on again (PATCH with "enabled": true, then POST .../replay).`,
  };
}
