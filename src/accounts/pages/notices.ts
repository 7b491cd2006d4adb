import { IsIn, IsOptional } from 'class-validator';

/** What the page before has done, in words. Texts of ours only: an address can be sent to anybody. */
const NOTICES = {
  confirmed: 'Your address is confirmed. You can sign in now.',
  'signed-out': 'You are signed out.',
  'password-set': 'Your new password is saved. You can sign in with it now.',
  'password-changed': 'Your password is changed, and your other sessions are ended.',
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
  'webhook-removed': 'The webhook is removed.',
  'feed-renewed': 'The feed has a new address, and the old one works no longer.',
} as const;

type Notice = keyof typeof NOTICES;

export class DoneQuery {
  @IsOptional()
  @IsIn(Object.keys(NOTICES), { message: 'This address is not complete.' })
  done?: Notice;
}

export function noticeOf({ done }: DoneQuery): string | undefined {
  return done && NOTICES[done];
}
