import { IsIn, IsOptional } from 'class-validator';
import { STRENGTH_WORDS, STRENGTHS, type Strength } from '../../accounts/password-rules.js';

const CONFIRMED = 'Your address is confirmed, and your account is made. You can sign in now.';
const SET =
  'Your new password is saved. You can sign in with it now. Passkeys work on: remove those that are not yours, under Security.';
const CHANGED = 'Your password is changed, and your other sessions are ended.';

/** What the page before has done, in words. Texts of ours only: an address can be sent to anybody. */
const NOTICES = {
  ...withStrength('confirmed', CONFIRMED),
  ...withStrength('password-set', SET),
  ...withStrength('password-changed', CHANGED),
  'signed-out': 'You are signed out.',
  'factor-on': 'The second factor is on.',
  'factor-off': 'The second factor is off.',
  'passkey-added': 'The passkey is added. You can sign in with it now.',
  'passkey-removed':
    'The passkey is removed, and signs nobody in any more. Your device may still offer it: delete it there as well.',
  deleted: 'Your account is deleted, and its keys work no longer.',
  renamed: 'The key has its new name.',
  revoked: 'The key is revoked.',
  watching: 'It is watched from now on.',
  unwatched: 'It is watched no longer.',
  'mails-saved': 'Saved.',
  'session-ended': 'The session has ended.',
  'sessions-ended': 'All other sessions have ended.',
  paused: 'The webhook is paused. What happens meanwhile can be delivered again later.',
  resumed: 'The webhook is on again.',
  'under-way': 'It is under way. Load this page again to see what came of it.',
  'host-proven': 'The host is proven. Deliveries to it go at full pace.',
  'webhook-removed': 'The webhook is removed.',
  'feed-renewed': 'The feed has a new address, and the old one works no longer.',
} as const;

function withStrength<Done extends string>(done: Done, text: string): Record<`${Done}-${Strength}`, string> {
  const notices = STRENGTHS.map(
    (strength) => [`${done}-${strength}`, `${text} ${STRENGTH_WORDS[strength]}`] as const,
  );
  return Object.fromEntries(notices) as Record<`${Done}-${Strength}`, string>;
}

type Notice = keyof typeof NOTICES;

export class DoneQuery {
  @IsOptional()
  @IsIn(Object.keys(NOTICES), { message: 'This address is not complete.' })
  done?: Notice;
}

export function noticeOf({ done }: DoneQuery): string | undefined {
  return done && NOTICES[done];
}
